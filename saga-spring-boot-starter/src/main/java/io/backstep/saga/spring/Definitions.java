package io.backstep.saga.spring;

import io.backstep.saga.definition.SagaDefinition;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;

/** The definition beans of the application. */
final class Definitions {
    private Definitions() {}

    /**
     * Collects them, which creates those that are lazy; only once all other singletons exist.
     *
     * @param beans of the application
     * @return all of them, also several versions of one name
     */
    static List<SagaDefinition<?>> of(ListableBeanFactory beans) {
        List<SagaDefinition<?>> all = new ArrayList<>();
        beans.getBeansOfType(SagaDefinition.class).values().forEach(all::add);
        return all;
    }
}
