package io.backstep.saga.spring;

import io.backstep.saga.store.SagaStore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;

/** A store that cannot be made before the database has said which one it is. Until then every call is refused. */
final class LateStore implements TargetSource {
    private final FirstContact contact;
    private volatile @Nullable SagaStore store;

    private LateStore(FirstContact contact) {
        this.contact = contact;
    }

    /**
     * Makes the store, now if possible.
     *
     * @param contact waits for the database, if it may
     * @param creation asks the database
     * @return the store itself, or one that hands on to it as soon as it is there
     */
    static SagaStore of(FirstContact contact, Supplier<SagaStore> creation) {
        LateStore late = new LateStore(contact);
        contact.need(() -> late.store = creation.get());
        SagaStore now = late.store;
        return now == null ? ProxyFactory.getProxy(SagaStore.class, late) : now;
    }

    @Override
    public Class<?> getTargetClass() {
        return SagaStore.class;
    }

    @Override
    public Object getTarget() {
        SagaStore there = store;
        if (there == null) {
            contact.refuseWhileWaiting("SAGA-DB-003", "there is no store yet");
            throw new IllegalStateException("the application was closed before there was a store");
        }
        return there;
    }
}
