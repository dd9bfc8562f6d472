package io.backstep.saga.test;

import io.backstep.saga.definition.Retry;
import io.backstep.saga.messaging.OutboxStore;
import io.backstep.saga.messaging.RelaySettings;
import io.backstep.saga.test.RelayWorld.Fault;
import io.backstep.saga.test.RelayWorld.Got;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * One course of relays that die, sleep and lose commits, of a broker that fails, hangs and answers late, and of publishers that commit in another
 * order than they published. Judges what the broker has kept.
 */
final class OutboxCourse {
    private static final int MESSAGES = 60;
    private static final Duration CHAOS = Duration.ofMinutes(5);
    private static final RelaySettings SETTINGS = RelayWorld.SETTINGS
            .pollInterval(Duration.ofSeconds(2))
            .retry(Retry.fixed(Duration.ofSeconds(1)).forever());

    /** What must be kept before what. */
    private record Published(UUID id, String aggregate, int begun, int committed) {}

    private final Random random;
    private final RelayWorld world;
    private final List<RelayWorld.Node> nodes = new ArrayList<>();
    private final List<Published> published = new ArrayList<>();
    private final Set<UUID> rolledBack = new HashSet<>();
    private final List<UUID> kept = new ArrayList<>();
    private int moment;
    private boolean calm;

    private OutboxCourse(long seed, UnaryOperator<OutboxStore> around) {
        this.random = new Random(seed);
        this.world = new RelayWorld(around);
    }

    /** What is wrong after the course of a seed; empty when nothing is. */
    static List<String> run(long seed, UnaryOperator<OutboxStore> around) {
        OutboxCourse course = new OutboxCourse(seed, around);
        course.run();
        return course.judged();
    }

    private void run() {
        world.broker.otherwise = this::answer;
        nodes.add(started());
        nodes.add(started());
        for (int i = 0; i < MESSAGES; i++) {
            world.time.timer().after(within(CHAOS), this::publish);
        }
        for (int i = 0; i < 6; i++) {
            world.time.timer().after(within(CHAOS), this::disturb);
        }
        world.run(CHAOS);
        calm = true;
        world.store.faults.clear();
        world.run(Duration.ofMinutes(10));
    }

    private Duration within(Duration most) {
        return Duration.ofMillis(random.nextInt((int) most.toMillis()));
    }

    private RelayWorld.Node started() {
        RelayWorld.Node node = world.node(SETTINGS);
        node.start();
        return node;
    }

    private void disturb() {
        int which = random.nextInt(nodes.size());
        switch (random.nextInt(3)) {
            case 0 -> {
                nodes.get(which).kill();
                nodes.set(which, started());
            }
            case 1 -> {
                RelayWorld.Node node = nodes.get(which);
                node.pause();
                world.time.timer().after(within(Duration.ofMinutes(1)), node::resume);
            }
            default ->
                world.store.faults.add(random.nextBoolean() ? Fault.LOST_BEFORE_COMMIT : Fault.LOST_AFTER_COMMIT);
        }
    }

    private CompletableFuture<Object> answer(Got got) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        int draw = calm ? 0 : random.nextInt(100);
        if (draw < 50) {
            keep(got, answer);
        } else if (draw < 80) { // also later than anybody waits for it
            world.time.timer().after(within(Duration.ofSeconds(14)), () -> keep(got, answer));
        } else if (draw < 95) {
            world.time
                    .timer()
                    .after(
                            within(Duration.ofSeconds(5)),
                            () -> answer.completeExceptionally(new IOException("planned")));
        } else if (draw < 98) { // kept, and nobody hears of it
            kept.add(got.id());
        }
        return answer;
    }

    private void keep(Got got, CompletableFuture<Object> answer) {
        kept.add(got.id());
        answer.complete(got.id());
    }

    private void publish() {
        String aggregate = "agg-" + random.nextInt(4);
        switch (random.nextInt(5)) {
            case 0 -> rolledBack(aggregate);
            case 1 -> committed(aggregate, () -> committed(aggregate, () -> {})); // the later one is committed first
            default -> committed(aggregate, () -> {});
        }
    }

    private void committed(String aggregate, Runnable meanwhile) {
        int begun = moment++;
        UUID id = GuardFixture.tried(() -> world.transactions.inTransaction(() -> {
            UUID made = world.outbox.publish(RelayWorld.message(aggregate, "any"));
            meanwhile.run();
            return made;
        }));
        published.add(new Published(id, aggregate, begun, moment++));
    }

    private void rolledBack(String aggregate) {
        try {
            world.transactions.inTransaction(() -> {
                rolledBack.add(world.outbox.publish(RelayWorld.message(aggregate, "any")));
                throw new GuardFixture.Planned();
            });
        } catch (GuardFixture.Planned e) {
            // as planned
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private List<String> judged() {
        List<String> wrong = new ArrayList<>();
        kept.stream().filter(rolledBack::contains).forEach(id -> wrong.add(id + " was rolled back, and has left"));
        for (Published one : published) {
            if (!kept.contains(one.id())) {
                wrong.add(one.id() + " was committed, and has not left");
            }
            published.stream()
                    .filter(other -> other.aggregate().equals(one.aggregate()) && other.committed() < one.begun())
                    .filter(other -> kept.contains(one.id()) && kept.contains(other.id()))
                    .filter(other -> kept.indexOf(other.id()) > kept.indexOf(one.id()))
                    .forEach(other -> wrong.add(one.id() + " has overtaken " + other.id()));
        }
        if (world.outbox.backlog().waiting() > 0) {
            wrong.add(world.outbox.backlog() + " at the end");
        }
        return wrong;
    }
}
