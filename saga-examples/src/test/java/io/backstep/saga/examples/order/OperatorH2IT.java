package io.backstep.saga.examples.order;

import org.springframework.test.context.TestPropertySource;

@TestPropertySource(properties = "spring.datasource.url=jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1")
class OperatorH2IT extends OperatorContract {}
