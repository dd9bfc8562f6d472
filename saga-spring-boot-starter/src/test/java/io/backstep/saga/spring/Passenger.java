package io.backstep.saga.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.springframework.data.domain.Persistable;

/** Data of an application. Always inserted, so that a second one of the same name fails when it is flushed. */
@Entity
class Passenger implements Persistable<String> {
    @Id
    private String name;

    protected Passenger() {}

    Passenger(String name) {
        this.name = name;
    }

    @Override
    public String getId() {
        return name;
    }

    @Override
    public boolean isNew() {
        return true;
    }
}
