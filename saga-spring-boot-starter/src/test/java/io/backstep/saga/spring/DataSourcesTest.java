package io.backstep.saga.spring;

import static io.backstep.saga.spring.Contexts.assertThatSagasRun;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.store.SagaStoreException;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

@ExtendWith(OutputCaptureExtension.class)
class DataSourcesTest {
    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(Contexts.jdbc())
            .withConfiguration(Contexts.ours())
            .withUserConfiguration(Contexts.OneDefinition.class)
            .withPropertyValues("saga.poll-interval=20ms");

    @Test
    void without_a_data_source_one_line_says_so(CapturedOutput output) {
        new ApplicationContextRunner().withConfiguration(Contexts.ours()).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(SagaClient.class);
            assertThat(output.getAll().lines().filter(line -> line.contains("SAGA-CFG")))
                    .singleElement()
                    .asString()
                    .contains("SAGA-CFG-001", "there is no DataSource bean");
        });
    }

    @Test
    void when_it_is_switched_off_there_is_nothing_to_say(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(Contexts.ours())
                .withPropertyValues("saga.enabled=false")
                .run(context -> assertThat(output.getAll()).doesNotContain("SAGA-"));
    }

    // F060
    @Test
    void two_data_sources_and_none_named_one_line_lists_them(CapturedOutput output) {
        bare.withUserConfiguration(TwoDatabases.class).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(SagaClient.class);
            assertThat(output.getAll().lines().filter(line -> line.contains("SAGA-CFG")))
                    .singleElement()
                    .asString()
                    .contains("SAGA-CFG-001", "[ordersDs, billingDs]", "saga.datasource");
        });
    }

    // F060
    @Test
    void of_two_data_sources_the_named_one_holds_the_sagas() {
        bare.withUserConfiguration(TwoDatabases.class)
                .withPropertyValues("saga.datasource=billingDs")
                .run(context -> {
                    assertThatSagasRun(context);
                    assertThat(tables(context, "billingDs")).contains("SAGA_INSTANCE");
                    assertThat(tables(context, "ordersDs")).doesNotContain("SAGA_INSTANCE");
                });
    }

    @Test
    void a_data_source_that_is_not_there_is_told_with_those_that_are() {
        bare.withUserConfiguration(TwoDatabases.class)
                .withPropertyValues("saga.datasource=biling")
                .run(context -> assertThat(refusal(context))
                        .hasMessage("SAGA-CFG-001: saga.datasource is \"biling\"; allowed are [ordersDs, billingDs]"));
    }

    // F061
    @Test
    void of_several_transaction_managers_the_one_of_the_data_source_is_taken() {
        bare.withUserConfiguration(TwoDatabases.class, AnotherKind.class)
                .withPropertyValues("saga.datasource=ordersDs")
                .run(context -> {
                    assertThat(context.getBean(SpringTransactions.class).manager())
                            .isSameAs(context.getBean("ordersTx"));
                    assertThatSagasRun(context);
                });
    }

    // F061
    @Test
    void two_transaction_managers_of_one_data_source_need_a_name() {
        ApplicationContextRunner two = bare.withUserConfiguration(TwoDatabases.class, SecondOfOrders.class)
                .withPropertyValues("saga.datasource=ordersDs");

        two.run(context -> assertThat(refusal(context)).hasMessageContaining("SAGA-CFG-008", "ordersTx"));
        two.withPropertyValues("saga.transaction-manager=second").run(Contexts::assertThatSagasRun);
    }

    // F062
    @Test
    void a_transaction_manager_of_another_data_source_is_refused() {
        bare.withUserConfiguration(TwoDatabases.class)
                .withPropertyValues("saga.datasource=ordersDs", "saga.transaction-manager=billingTx")
                .run(context -> assertThat(refusal(context)).hasMessageStartingWith("SAGA-CFG-008"));
    }

    // F062
    @Test
    void a_start_inside_a_transaction_of_another_data_source_fails_and_leaves_nothing() {
        bare.withUserConfiguration(TwoDatabases.class)
                .withPropertyValues("saga.datasource=ordersDs")
                .run(context -> {
                    var billing =
                            new TransactionTemplate(context.getBean("billingTx", PlatformTransactionManager.class));
                    var sagas = context.getBean(SagaClient.class);

                    assertThat(catchThrowable(() -> billing.executeWithoutResult(
                                    status -> sagas.start(Trip.TYPE, Trip.of(Trip.Ending.COMPLETES)))))
                            .isInstanceOf(SagaStoreException.class);
                    assertThat(new JdbcTemplate(context.getBean("ordersDs", DataSource.class))
                                    .queryForObject("select count(*) from saga_instance", Integer.class))
                            .isZero();
                });
    }

    // F062
    @Test
    void a_transaction_manager_without_synchronization_is_refused() {
        Contexts.onH2()
                .withUserConfiguration(Unsynchronized.class)
                .run(context -> assertThat(refusal(context)).hasMessageStartingWith("SAGA-CFG-008"));
    }

    // F061
    @Test
    void all_transaction_managers_of_the_data_source_are_watched() {
        bare.withUserConfiguration(TwoDatabases.class, SecondOfOrders.class)
                .withPropertyValues("saga.datasource=ordersDs", "saga.transaction-manager=second")
                .run(context -> Stream.of("second", "ordersTx", "billingTx")
                        .map(name -> context.getBean(name, DataSourceTransactionManager.class))
                        .forEach(manager -> assertThat(manager.getTransactionExecutionListeners())
                                .hasSize(manager == context.getBean("billingTx") ? 0 : 1)));
    }

    // F064
    @Test
    void jpa_on_a_proxy_of_the_data_source_is_refused() {
        bare.withUserConfiguration(JpaOnAProxy.class)
                .run(context -> assertThat(refusal(context))
                        .hasMessageStartingWith("SAGA-CFG-008")
                        .hasMessageContaining("JpaTransactionManager"));
    }

    // F064
    @Test
    void jpa_on_connections_of_its_own_is_refused() {
        bare.withUserConfiguration(JpaOnItsOwn.class)
                .run(context -> assertThat(refusal(context)).hasMessageStartingWith("SAGA-CFG-008"));
    }

    // F064
    @Test
    void jpa_on_the_data_source_itself_is_fine() {
        bare.withUserConfiguration(Jpa.class).run(Contexts::assertThatSagasRun);
    }

    @Test
    void a_transaction_aware_proxy_is_looked_through() {
        bare.withUserConfiguration(TransactionAware.class).run(Contexts::assertThatSagasRun);
    }

    // F082
    @Test
    void one_connection_is_enough_without_transactional_steps() {
        ApplicationContextRunner application = Contexts.onH2();

        application.run(Contexts::assertThatSagasRun);
        application
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=1")
                .run(Contexts::assertThatSagasRun);
    }

    @Test
    void one_connection_is_not_enough_to_create_the_tables() {
        Contexts.onH2()
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=1")
                .run(context -> assertThat(refusal(context))
                        .hasMessageStartingWith("SAGA-CFG-006")
                        .hasMessageContaining("tables"));
    }

    // F082
    @Test
    void one_connection_is_refused_with_a_transactional_step() {
        ApplicationContextRunner transactional = new ApplicationContextRunner()
                .withConfiguration(Contexts.jdbc())
                .withConfiguration(Contexts.ours())
                .withUserConfiguration(TransactionalTrip.class)
                .withPropertyValues("spring.datasource.url=" + Contexts.h2());

        transactional
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=2")
                .run(Contexts::assertThatSagasRun);
        transactional
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=1")
                .run(context -> assertThat(refusal(context))
                        .hasMessageStartingWith("SAGA-CFG-006")
                        .hasMessageContaining("step book of trip v1"));
    }

    private static Throwable refusal(AssertableApplicationContext context) {
        Throwable failure = context.getStartupFailure();
        while (failure != null && !(failure instanceof SagaConfigurationException)) {
            failure = failure.getCause();
        }
        return failure;
    }

    private static List<String> tables(AssertableApplicationContext context, String dataSource) {
        return new JdbcTemplate(context.getBean(dataSource, DataSource.class))
                .queryForList("select upper(table_name) from information_schema.tables", String.class);
    }

    private static HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(Contexts.h2());
        return pool;
    }

    @Configuration(proxyBeanMethods = false)
    static class Unsynchronized {
        @Bean
        DataSourceTransactionManager transactionManager(DataSource dataSource) {
            DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
            manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
            return manager;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TransactionalTrip {
        @Bean
        SagaDefinition<Trip> trip() {
            return Trip.transactional();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDatabases {
        @Bean
        HikariDataSource ordersDs() {
            return pool();
        }

        @Bean
        HikariDataSource billingDs() {
            return pool();
        }

        @Bean
        JdbcTransactionManager ordersTx(DataSource ordersDs) {
            return new JdbcTransactionManager(ordersDs);
        }

        @Bean
        JdbcTransactionManager billingTx(DataSource billingDs) {
            return new JdbcTransactionManager(billingDs);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondOfOrders {
        @Bean
        DataSourceTransactionManager second(DataSource ordersDs) {
            return new DataSourceTransactionManager(ordersDs);
        }
    }

    /** Stands for a broker's transaction manager, which must not even be asked. */
    @Configuration(proxyBeanMethods = false)
    static class AnotherKind {
        @Bean
        @Primary
        PlatformTransactionManager brokerTx() {
            return new AbstractPlatformTransactionManager() {
                private static final long serialVersionUID = 1L;

                @Override
                protected Object doGetTransaction() {
                    throw new IllegalStateException("the broker is down");
                }

                @Override
                protected void doBegin(Object transaction, TransactionDefinition definition) {}

                @Override
                protected void doCommit(DefaultTransactionStatus status) {}

                @Override
                protected void doRollback(DefaultTransactionStatus status) {}
            };
        }
    }

    private static LocalContainerEntityManagerFactoryBean entities(@Nullable DataSource dataSource) {
        LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(dataSource);
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setPackagesToScan("io.backstep.saga.spring.nothing");
        return factory;
    }

    @Configuration(proxyBeanMethods = false)
    static class JpaOnAProxy {
        @Bean
        HikariDataSource dataSource() {
            return pool();
        }

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            return entities(new LazyConnectionDataSourceProxy(dataSource));
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class JpaOnItsOwn {
        @Bean
        HikariDataSource dataSource() {
            return pool();
        }

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory() {
            LocalContainerEntityManagerFactoryBean factory = entities(null);
            factory.setJpaPropertyMap(Map.of("jakarta.persistence.jdbc.url", Contexts.h2()));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jpa {
        @Bean
        HikariDataSource dataSource() {
            return pool();
        }

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            return entities(dataSource);
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TransactionAware {
        @Bean(destroyMethod = "")
        DataSource dataSource() {
            return new TransactionAwareDataSourceProxy(pool());
        }
    }
}
