package io.backstep.saga.test;

import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.engine.SagaClient;
import java.util.UUID;

/** Where assertions on sagas begin, as AssertJ's own do. */
public final class SagaAssertions {
    private SagaAssertions() {}

    /**
     * Begins to check a saga.
     *
     * @param run what has become of it
     * @return assertions, which print its history when they fail
     */
    public static SagaAssert assertThat(SagaRun run) {
        return new SagaAssert(run);
    }

    /**
     * Begins to check a saga, wherever it is kept.
     *
     * @param client finds the saga
     * @param admin reads its history
     * @param sagaId its id
     * @return assertions, which print its history when they fail
     * @throws java.util.NoSuchElementException when there is no such saga
     */
    public static SagaAssert assertThatSaga(SagaClient client, SagaAdmin admin, UUID sagaId) {
        return assertThat(SagaRun.of(client, admin, sagaId));
    }
}
