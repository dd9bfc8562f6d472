package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaType;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Caller;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Right;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Subject;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a page of the audit costs. */
class GateTest {
    private static final SagaType<String> TYPE = SagaType.named("any", String.class);

    private final List<String> reads = new ArrayList<>();
    private final InMemorySagaStore memory = new InMemorySagaStore();
    private final SagaEngine engine = engine();

    private SagaEngine engine() {
        SagaEngine made = SagaEngine.builder()
                .store(new Counting())
                .transactions(memory.transactions())
                .build();
        made.register(Saga.define(TYPE)
                .step("one")
                .action(c -> {})
                .noCompensation("nothing")
                .build());
        made.start();
        return made;
    }

    private final class Counting extends ForwardingStore {
        Counting() {
            super(memory);
        }

        @Override
        public Optional<InstanceRow> find(UUID sagaId) {
            reads.add("find");
            return super.find(sagaId);
        }

        @Override
        public List<InstanceSummary> list(ListQuery query) {
            reads.add("list");
            return super.list(query);
        }
    }

    /** May see all that there are, but for one. */
    private static final class Choosy implements Caller {
        private final List<UUID> asked = new ArrayList<>();

        @Override
        public String name() {
            return "ann";
        }

        @Override
        public boolean may(Right right) {
            return true;
        }

        @Override
        public boolean may(Right right, Subject subject) {
            asked.add(subject.sagaId());
            InstanceSummary saga = subject.saga();
            return saga != null && !saga.sagaId().equals(new UUID(0, 1));
        }
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void the_sagas_of_a_page_are_read_at_once_and_each_is_asked_about_once() {
        Set<UUID> seen = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            seen.add(engine.client().start(TYPE, "in").sagaId());
        }
        UUID hidden = new UUID(0, 1);
        engine.client().start(TYPE, "in", StartOptions.none().sagaId(hidden));
        Set<UUID> page = new HashSet<>(seen);
        page.add(hidden);
        page.add(new UUID(0, 2));
        Choosy caller = new Choosy();
        reads.clear();

        assertThat(new Gate(SagaAdmin.of(engine), request -> caller).visible(caller, page))
                .isEqualTo(seen);

        assertThat(reads).containsExactly("list");
        assertThat(caller.asked).containsExactlyInAnyOrderElementsOf(page);
    }

    @Test
    void an_empty_page_reads_nothing() {
        Choosy caller = new Choosy();

        assertThat(new Gate(SagaAdmin.of(engine), request -> caller).visible(caller, Set.of()))
                .isEmpty();

        assertThat(reads).isEmpty();
    }
}
