package io.backstep.saga.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import org.springframework.data.domain.Persistable;

/** Data of an application. Always inserted, so that a second one of the same name fails when it is flushed. */
@Entity
class Passenger implements Persistable<String> {
    /** What is to be done when one of this thread is written, which is at the commit. */
    static final ThreadLocal<Runnable> WHEN_WRITTEN = ThreadLocal.withInitial(() -> () -> {});

    @Id
    private String name;

    protected Passenger() {}

    Passenger(String name) {
        this.name = name;
    }

    @PostPersist
    void written() {
        WHEN_WRITTEN.get().run();
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
