package io.backstep.saga.spring;

import io.backstep.saga.store.SagaStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store that cannot be made before the database has said which one it is. Until then every call is refused. */
final class LateStore implements InvocationHandler {
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
        return now == null ? late.proxy() : now;
    }

    private SagaStore proxy() {
        Class<SagaStore> type = SagaStore.class;
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this));
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return ofAnyObject(self, method.getName(), arguments);
        }
        try {
            return method.invoke(there(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    /** A log or a debugger may ask at any time. */
    private Object ofAnyObject(Object self, String name, @Nullable Object @Nullable [] arguments) {
        SagaStore there = store;
        return switch (name) {
            case "equals" -> arguments != null && self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> there == null ? "a store that is not there yet" : there.toString();
        };
    }

    private SagaStore there() {
        SagaStore there = store;
        if (there == null) {
            contact.refuseWhileWaiting("SAGA-DB-003", "there is no store yet");
            throw new IllegalStateException("the application was closed before there was a store");
        }
        return there;
    }
}
