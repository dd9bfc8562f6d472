package io.backstep.saga.spring;

import io.backstep.saga.jdbc.JdbcConnections;
import io.backstep.saga.jdbc.JdbcGuardStore;
import io.backstep.saga.jdbc.JdbcReservations;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.participant.GuardStore;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/** Keeps sagas in the application's DataSource, in its transactions, if there is one DataSource or one is named. */
@AutoConfiguration(
        after = {
            DataSourceAutoConfiguration.class,
            DataSourceTransactionManagerAutoConfiguration.class,
            TransactionAutoConfiguration.class
        },
        afterName = {
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "saga.enabled", matchIfMissing = true)
@Conditional(SagaStoreAutoConfiguration.OneDataSource.class)
@Import({SagaSettingsConfiguration.class, DatabaseInitializationDependencyConfigurer.class})
class SagaStoreAutoConfiguration {
    @Bean
    DataSourceChoice sagaDataSourceChoice(ListableBeanFactory beans, SagaSettings settings) {
        return new DataSourceChoice(beans, settings.properties());
    }

    @Bean
    PoolSize sagaPoolSize(DataSourceChoice choice, ObjectProvider<DataSourcePoolMetadataProvider> pools) {
        return new PoolSize(choice.dataSource(), pools.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean(Transactions.class)
    SpringTransactions sagaTransactions(DataSourceChoice choice, PoolSize pool) {
        DataSource dataSource = choice.dataSource();
        return new SpringTransactions(dataSource, () -> choice.transactionManagers(dataSource), pool::isOne);
    }

    @Bean
    @ConditionalOnBean(SpringTransactions.class)
    ConnectionCheck sagaConnectionCheck(DataSourceChoice choice, SpringTransactions transactions, PoolSize pool) {
        return new ConnectionCheck(choice.dataSource(), transactions, pool);
    }

    @Bean
    @ConditionalOnMissingBean(SagaStore.class)
    SagaSchemaInitializer sagaSchemaInitializer(
            DataSourceChoice choice,
            PoolSize pool,
            SagaSettings settings,
            ResourceLoader resources,
            FirstContact contact) {
        boolean flyway = ClassUtils.isPresent("org.flywaydb.core.Flyway", resources.getClassLoader());
        SagaProperties.Schema schema = settings.properties().schema();
        return new SagaSchemaInitializer(
                choice.dataSource(),
                pool,
                settings.schema(),
                schema.migrate() && flyway,
                schema.lockTimeout(),
                contact);
    }

    @Bean
    @ConditionalOnMissingBean(SagaStore.class)
    SagaStore sagaStore(
            DataSourceChoice choice, JdbcConnections connections, SagaSettings settings, FirstContact contact) {
        DataSource dataSource = choice.dataSource();
        return LateStore.of(contact, () -> {
            JdbcSagaStore store = JdbcSagaStore.create(dataSource, connections, settings.schema());
            return choice.listening().map(store::withNotifications).orElse(store);
        });
    }

    @Bean
    @ConditionalOnMissingBean(GuardStore.class)
    @ConditionalOnBean(JdbcConnections.class)
    GuardStore sagaGuardStore(DataSourceChoice choice, JdbcConnections connections, SagaSettings settings) {
        return JdbcGuardStore.create(choice.dataSource(), connections, settings.schema());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(GuardStore.class)
    ParticipantGuards sagaParticipantGuards(GuardStore store, Transactions transactions) {
        return new ParticipantGuards(store, transactions);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(JdbcConnections.class)
    JdbcReservations sagaReservations(DataSourceChoice choice, JdbcConnections connections, SagaSettings settings) {
        return JdbcReservations.create(choice.dataSource(), connections, settings.schema());
    }

    @Bean
    @ConditionalOnBean(JdbcReservations.class)
    ReservationSweeper sagaReservationSweeper(JdbcReservations reservations, SagaSettings settings) {
        return new ReservationSweeper(
                reservations::sweep, settings.properties().reservations().sweepInterval());
    }

    static final class OneDataSource extends AnyNestedCondition {
        OneDataSource() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnSingleCandidate(DataSource.class)
        static final class Alone {}

        @ConditionalOnProperty("saga.datasource")
        static final class Named {}
    }
}
