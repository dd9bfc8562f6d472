package io.backstep.saga.spring;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ClassUtils;

/** Finds the DataSource of the sagas, and the transaction manager that belongs to it. */
final class DataSourceChoice {
    private static final boolean JPA = ClassUtils.isPresent(
            "org.springframework.orm.jpa.JpaTransactionManager", DataSourceChoice.class.getClassLoader());

    private final ListableBeanFactory beans;
    private final SagaProperties properties;

    DataSourceChoice(ListableBeanFactory beans, SagaProperties properties) {
        this.beans = beans;
        this.properties = properties;
    }

    /** Looks for the beans that properties name, without making them. */
    void checkNames(Faults faults) {
        checkName("saga.datasource", properties.datasource(), DataSource.class, faults);
        checkName("saga.notifications.datasource", properties.notifications().datasource(), DataSource.class, faults);
        checkName(
                "saga.transaction-manager", properties.transactionManager(), PlatformTransactionManager.class, faults);
    }

    private void checkName(String property, @Nullable String name, Class<?> type, Faults faults) {
        if (name != null && !isThere(name, type)) {
            faults.add(code(type), unknown(property, name, type));
        }
    }

    /**
     * The DataSource that is named, else the only or primary one.
     *
     * @return the one to which transaction managers bind connections
     */
    DataSource dataSource() {
        String name = properties.datasource();
        DataSource found =
                name == null ? beans.getBean(DataSource.class) : named("saga.datasource", name, DataSource.class);
        return target(found);
    }

    /**
     * Where the connection comes from that hears what other nodes notify.
     *
     * @return empty when nobody is to listen
     */
    Optional<DataSource> listening() {
        SagaProperties.Notifications wanted = properties.notifications();
        if (!wanted.enabled()) {
            return Optional.empty();
        }
        String name = wanted.datasource();
        return Optional.of(
                name == null ? dataSource() : target(named("saga.notifications.datasource", name, DataSource.class)));
    }

    private static DataSource target(DataSource found) {
        return found instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? proxy.getTargetDataSource()
                : found;
    }

    /**
     * The transaction manager that is named, else the only one, else the one of the DataSource.
     *
     * @param dataSource the DataSource of the sagas
     * @return the transaction manager
     */
    PlatformTransactionManager transactionManager(DataSource dataSource) {
        String name = properties.transactionManager();
        if (name != null) {
            return named("saga.transaction-manager", name, PlatformTransactionManager.class);
        }
        Map<String, PlatformTransactionManager> all = beans.getBeansOfType(PlatformTransactionManager.class);
        if (all.size() == 1) {
            return all.values().iterator().next();
        }
        List<PlatformTransactionManager> fitting = fitting(dataSource, all);
        return fitting.size() == 1 ? fitting.get(0) : primaryOf(fitting, all);
    }

    /**
     * All transaction managers of the DataSource.
     *
     * @param dataSource the DataSource of the sagas
     * @return first the one that {@link #transactionManager} tells
     */
    List<PlatformTransactionManager> transactionManagers(DataSource dataSource) {
        PlatformTransactionManager chosen = transactionManager(dataSource);
        Stream<PlatformTransactionManager> others =
                fitting(dataSource, beans.getBeansOfType(PlatformTransactionManager.class)).stream();
        return Stream.concat(Stream.of(chosen), others).distinct().toList();
    }

    private static List<PlatformTransactionManager> fitting(
            DataSource dataSource, Map<String, PlatformTransactionManager> all) {
        return all.values().stream()
                .filter(candidate -> dataSource.equals(dataSourceOf(candidate)))
                .toList();
    }

    private PlatformTransactionManager primaryOf(
            List<PlatformTransactionManager> fitting, Map<String, PlatformTransactionManager> all) {
        PlatformTransactionManager primary =
                beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique();
        if (primary == null || !(fitting.isEmpty() || fitting.contains(primary))) {
            throw new SagaConfigurationException(
                    "SAGA-CFG-008",
                    "there is not exactly one transaction manager of the sagas' DataSource among " + all.keySet()
                            + "; name one by saga.transaction-manager");
        }
        return primary;
    }

    private <T> T named(String property, String name, Class<T> type) {
        if (!isThere(name, type)) {
            throw new SagaConfigurationException(code(type), unknown(property, name, type));
        }
        return beans.getBean(name, type);
    }

    private boolean isThere(String name, Class<?> type) {
        return beans.containsBean(name) && beans.isTypeMatch(name, type);
    }

    private static String code(Class<?> type) {
        return type == DataSource.class ? "SAGA-CFG-001" : "SAGA-CFG-008";
    }

    private String unknown(String property, String name, Class<?> type) {
        List<String> there = List.of(beans.getBeanNamesForType(type, true, false));
        return property + " is " + Shown.quoted(name) + "; allowed are " + there;
    }

    private static @Nullable DataSource dataSourceOf(PlatformTransactionManager candidate) {
        if (JPA && candidate instanceof JpaTransactionManager jpa) {
            return jpa.getDataSource();
        }
        return candidate instanceof ResourceTransactionManager resource
                        && resource.getResourceFactory() instanceof DataSource dataSource
                ? dataSource
                : null;
    }
}
