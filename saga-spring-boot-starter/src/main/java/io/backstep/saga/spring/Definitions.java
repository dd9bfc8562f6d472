package io.backstep.saga.spring;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.definition.SagaDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;

/** The definition beans of the application. */
final class Definitions {
    private Definitions() {}

    /**
     * Collects them, which creates those that are lazy; only once all other singletons exist.
     *
     * @param beans of the application
     * @return all of them, also several versions of one name
     * @throws SagaDefinitionException {@code SAGA-DSL-003} for two of the same name and version
     */
    static List<SagaDefinition<?>> of(ListableBeanFactory beans) {
        List<SagaDefinition<?>> all = new ArrayList<>();
        Map<String, String> names = new HashMap<>();
        beans.getBeansOfType(SagaDefinition.class).forEach((name, definition) -> {
            String other = names.putIfAbsent(definition.toString(), name);
            if (other != null) {
                throw new SagaDefinitionException(
                        "SAGA-DSL-003",
                        "the beans " + other + " and " + name + " are both " + definition
                                + "; give one another version, or leave one out");
            }
            all.add(definition);
        });
        return all;
    }
}
