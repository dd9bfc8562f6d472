package io.backstep.saga.spring;

import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;

/** Why no sagas are run in an application that has not switched them off. */
final class NoSagas {
    private NoSagas() {}

    /**
     * The reason that the beans tell.
     *
     * @param beans of the application
     * @return why, or empty when it is not for want of one DataSource
     */
    static Optional<String> why(ListableBeanFactory beans) {
        List<String> dataSources = List.of(beans.getBeanNamesForType(DataSource.class, true, false));
        if (dataSources.isEmpty()) {
            return Optional.of("there is no DataSource bean");
        }
        return dataSources.size() == 1
                ? Optional.empty()
                : Optional.of("the DataSource beans are " + dataSources
                        + " and none is primary; name one by saga.datasource");
    }
}
