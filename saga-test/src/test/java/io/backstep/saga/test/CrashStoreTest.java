package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class CrashStoreTest {
    @Test
    void no_call_of_the_engine_goes_past_it() {
        List<Method> answered = Arrays.stream(SagaStore.class.getMethods())
                .filter(method -> List.of(method.getParameterTypes()).contains(StoreCallback.class))
                .toList();

        assertThat(answered)
                .isNotEmpty()
                .allSatisfy(method -> assertThat(
                                CrashStore.class.getDeclaredMethod(method.getName(), method.getParameterTypes()))
                        .isNotNull());
    }
}
