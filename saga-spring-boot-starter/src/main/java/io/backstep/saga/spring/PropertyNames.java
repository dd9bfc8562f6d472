package io.backstep.saga.spring;

import java.lang.reflect.RecordComponent;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/** Finds what is set under {@code saga.} and means nothing. Environment variables and system properties may be others'. */
final class PropertyNames {
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("saga");
    private static final List<ConfigurationPropertyName> KNOWN =
            known(PREFIX, SagaProperties.class).toList();

    private PropertyNames() {}

    static List<String> known() {
        return KNOWN.stream().map(ConfigurationPropertyName::toString).toList();
    }

    /**
     * Looks through all property sources whose names can be listed.
     *
     * @param environment of the application
     * @return one sentence for each unknown name
     */
    static List<String> unknown(Environment environment) {
        return StreamSupport.stream(
                        ConfigurationPropertySources.get(environment).spliterator(), false)
                .filter(new UnboundElementsSourceFilter()::apply)
                .flatMap(PropertyNames::names)
                .filter(PREFIX::isAncestorOf)
                .filter(name -> !isKnown(name))
                .distinct()
                .sorted()
                .map(PropertyNames::fault)
                .toList();
    }

    private static Stream<ConfigurationPropertyName> names(ConfigurationPropertySource source) {
        return source instanceof IterableConfigurationPropertySource iterable ? iterable.stream() : Stream.empty();
    }

    private static boolean isKnown(ConfigurationPropertyName name) {
        ConfigurationPropertyName whole = name.isLastElementIndexed() ? name.getParent() : name;
        return KNOWN.contains(whole);
    }

    private static String fault(ConfigurationPropertyName name) {
        return name + " is unknown; the nearest is " + nearest(name);
    }

    private static ConfigurationPropertyName nearest(ConfigurationPropertyName name) {
        String text = uniform(name);
        return KNOWN.stream()
                .min(Comparator.comparingInt(known -> distance(text, uniform(known))))
                .orElse(PREFIX);
    }

    private static String uniform(ConfigurationPropertyName name) {
        StringBuilder all = new StringBuilder();
        for (int i = 1; i < name.getNumberOfElements(); i++) {
            all.append('.').append(name.getElement(i, Form.UNIFORM));
        }
        return all.toString();
    }

    /** Levenshtein's: how many characters must be changed, added or taken away. */
    private static int distance(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            int[] row = new int[to.length() + 1];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int changed = i == 0 ? j : above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = i == 0 ? j : Math.min(changed, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[to.length()];
    }

    private static Stream<ConfigurationPropertyName> known(ConfigurationPropertyName prefix, Class<?> properties) {
        return Stream.of(properties.getRecordComponents()).flatMap(component -> known(prefix, component));
    }

    private static Stream<ConfigurationPropertyName> known(ConfigurationPropertyName prefix, RecordComponent part) {
        ConfigurationPropertyName name = prefix.append(DataObjectPropertyName.toDashedForm(part.getName()));
        return part.getType().isRecord() ? known(name, part.getType()) : Stream.of(name);
    }
}
