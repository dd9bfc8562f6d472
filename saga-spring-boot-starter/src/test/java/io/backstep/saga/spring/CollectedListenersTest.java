package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.AlertListener;
import io.backstep.saga.engine.SagaListener;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class CollectedListenersTest {
    private final List<String> heard = new ArrayList<>();

    @Test
    void whatever_there_is_to_hear_reaches_the_beans() throws Exception {
        CollectedListeners collected = new CollectedListeners();
        collected.are(List.of(hearing(SagaListener.class)), List.of(hearing(AlertListener.class)));

        List<String> told = new ArrayList<>();
        told.addAll(tellAll(SagaListener.class, collected.sagaListener()));
        told.addAll(tellAll(AlertListener.class, collected.alertListener()));

        assertThat(heard).containsExactlyElementsOf(told).contains("signalled", "onAlert");
    }

    private <L> L hearing(Class<L> type) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> {
                    heard.add(method.getName());
                    return null;
                }));
    }

    private static List<String> tellAll(Class<?> type, Object listener) throws ReflectiveOperationException {
        List<String> told = new ArrayList<>();
        for (Method method : type.getMethods()) {
            Object[] values = Arrays.stream(method.getParameterTypes())
                    .map(each -> each == boolean.class ? (Object) true : each == int.class ? 1 : null)
                    .toArray();
            method.invoke(listener, values);
            told.add(method.getName());
        }
        return told;
    }
}
