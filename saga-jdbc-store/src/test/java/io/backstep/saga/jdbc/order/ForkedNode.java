package io.backstep.saga.jdbc.order;

import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A JVM of its own that starts one order and stops dead at one write, for somebody to kill it there. */
final class ForkedNode {
    enum Where {
        BEFORE,
        AFTER
    }

    private ForkedNode() {}

    /** Arguments: url, user, password, declined, number of the write, before or after it, lease. */
    public static void main(String[] args) {
        int stopAt = Integer.parseInt(args[4]);
        Where where = Where.valueOf(args[5]);
        TestPostgres.Db database = new TestPostgres.Db(args[0], args[1], args[2]);
        OrderNode node = new OrderNode(
                "forked",
                database,
                Duration.parse(args[6]),
                0,
                store -> new PausingStore(
                        store,
                        number -> stopDead(where == Where.BEFORE && number == stopAt, number),
                        number -> stopDead(where == Where.AFTER && number == stopAt, number)));
        SagaInstance started = node.engine
                .client()
                .start(OrderSaga.TYPE, new OrderSaga.PlaceOrder(1, 10, Boolean.parseBoolean(args[3])));
        node.engine.client().await(started.sagaId(), Duration.ofMinutes(1));
        System.out.println("ENDED");
    }

    private static void stopDead(boolean here, int number) {
        if (here) {
            System.out.println("AT WRITE " + number);
            System.out.flush();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static Process fork(TestPostgres.Db database, boolean declined, int write, Where where, Duration lease)
            throws IOException {
        return new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ForkedNode.class.getName(),
                        database.url(),
                        database.user(),
                        database.password(),
                        String.valueOf(declined),
                        String.valueOf(write),
                        where.name(),
                        lease.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
