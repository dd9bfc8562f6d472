package io.backstep.saga.spring;

import io.backstep.saga.messaging.OutboxListener;
import io.backstep.saga.messaging.OutboxRow;
import org.springframework.beans.factory.ObjectProvider;

/** Finds the listeners when there is something to tell, so that the relay needs none of them. */
final class LateListener implements OutboxListener {
    private final ObjectProvider<OutboxListener> listeners;

    LateListener(ObjectProvider<OutboxListener> listeners) {
        this.listeners = listeners;
    }

    @Override
    public void sent(int count) {
        listeners.orderedStream().forEach(each -> each.sent(count));
    }

    @Override
    public void retried(OutboxRow row, Throwable failure) {
        listeners.orderedStream().forEach(each -> each.retried(row, failure));
    }

    @Override
    public void failed(OutboxRow row, Throwable failure) {
        listeners.orderedStream().forEach(each -> each.failed(row, failure));
    }
}
