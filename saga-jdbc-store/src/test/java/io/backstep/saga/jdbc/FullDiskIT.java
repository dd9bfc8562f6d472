package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.testsupport.PostgresServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A PostgreSQL whose disk is full for a while: F9. */
class FullDiskIT extends OutageFixture {
    private PostgresServer server;

    @Override
    TestDatabase database() throws IOException {
        assumeThat(System.getProperty("user.name")).as("may mount a disk").isEqualTo("root");
        server = PostgresServer.startOnSmallDisk(140, Map.of());
        var db = server.fresh();
        return new TestDatabase(db.url(), db.user(), db.password());
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void starts_are_refused_and_what_was_acknowledged_ends_when_there_is_space_again() throws Exception {
        start(1_000);
        List<UUID> ids = new ArrayList<>(sagas());
        server.fillDisk();
        SagaStoreException refused = startUntilRefused(ids);
        open.countDown(); // what was called has an end now that finds no room
        await().atMost(LONG).until(() -> !engine.status().storeReachable());
        assertThat(refused).hasStackTraceContaining("No space left on device");
        assertThat(String.valueOf(engine.status().lastStoreFailure())).contains("No space left on device");

        server.freeDisk();
        server.start(); // a log that cannot be written ends the server itself
        allEnd(ids);
    }

    /** What is free in pages that are there already is used up first. */
    private SagaStoreException startUntilRefused(List<UUID> ids) {
        for (int i = 0; i < 10_000; i++) {
            try {
                ids.add(engine.client().start(TYPE, 1).sagaId());
            } catch (SagaStoreException e) {
                return e;
            }
        }
        throw new AssertionError("the disk is not full");
    }
}
