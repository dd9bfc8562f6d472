package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InMemoryTransactions;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** F097: definitions that exist before the store does are all known before anything is looked for. */
class DefinitionsBeforeStoreTest {
    @Test
    void all_definitions_are_registered_before_the_first_claim() {
        new ApplicationContextRunner()
                .withConfiguration(Contexts.ours())
                .withUserConfiguration(First.class, Then.class)
                .run(context -> {
                    assertThat(Contexts.run(context, Trip.Ending.COMPLETES).status())
                            .isEqualTo(SagaStatus.COMPLETED);
                    List<String> told = context.getBean(Told.class).linesOnceAsked();
                    assertThat(told)
                            .startsWith(
                                    "definition 1",
                                    "definition 2",
                                    "store",
                                    "registered 1",
                                    "registered 2",
                                    "asks for 2")
                            .doesNotContain("asks for 0", "asks for 1");
                    assertThat(context).hasSingleBean(SagaClient.class);
                });
    }

    static final class Told {
        final List<String> lines = new CopyOnWriteArrayList<>();
        private final CountDownLatch asked = new CountDownLatch(1);

        void asksFor(List<Integer> definitionIds) {
            lines.add("asks for " + definitionIds.size());
            asked.countDown();
        }

        /** A saga may be over before the node has looked at the store at all. */
        List<String> linesOnceAsked() throws InterruptedException {
            assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
            return lines;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class First {
        @Bean
        Told told() {
            return new Told();
        }

        @Bean
        SagaDefinition<Trip> one(Told told) {
            told.lines.add("definition 1");
            return Trip.definition(1);
        }

        @Bean
        SagaDefinition<Trip> two(Told told) {
            told.lines.add("definition 2");
            return Trip.definition(2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Then {
        @Bean
        InMemoryTransactions transactions(InMemory memory) {
            return memory.store.transactions();
        }

        @Bean
        InMemory memory() {
            return new InMemory(new InMemorySagaStore());
        }

        @Bean
        SagaStore store(Told told, InMemory memory) {
            told.lines.add("store");
            return new Telling(memory.store, told);
        }
    }

    record InMemory(InMemorySagaStore store) {}

    private static final class Telling extends ForwardingStore {
        private final Told told;

        Telling(SagaStore store, Told told) {
            super(store);
            this.told = told;
        }

        @Override
        public RegisteredDefinition register(String name, int version, String fingerprint) {
            told.lines.add("registered " + version);
            return super.register(name, version, fingerprint);
        }

        @Override
        public void look(String owner, List<Integer> definitionIds, StoreCallback<Outlook> callback) {
            told.asksFor(definitionIds);
            super.look(owner, definitionIds, callback);
        }

        @Override
        public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
            told.asksFor(request.definitionIds());
            super.claim(request, callback);
        }
    }
}
