package io.backstep.saga.spring;

import org.springframework.data.jpa.repository.JpaRepository;

interface Passengers extends JpaRepository<Passenger, String> {}
