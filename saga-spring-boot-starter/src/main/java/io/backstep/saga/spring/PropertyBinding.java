package io.backstep.saga.spring;

import io.backstep.saga.Shown;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/** Reads the properties; a value that is none becomes a fault, and its default stands in, so that the others are checked too. */
final class PropertyBinding implements BindHandler {
    private static final String NO_UNIT = "[+-]?0*[1-9][0-9]*";

    private final Environment environment;
    private final Faults faults;
    private final Set<ConfigurationPropertyName> told = new HashSet<>();

    private PropertyBinding(Environment environment, Faults faults) {
        this.environment = environment;
        this.faults = faults;
    }

    /**
     * Reads everything under {@code saga}.
     *
     * @param environment where it is set
     * @param faults told what cannot be read
     * @return the properties, with the default in place of each fault
     */
    static SagaProperties bind(Environment environment, Faults faults) {
        return Binder.get(environment)
                .bindOrCreate("saga", Bindable.of(SagaProperties.class), new PropertyBinding(environment, faults));
    }

    /** Spring Boot would take a bare number as milliseconds, which hardly anybody means. */
    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        ConfigurationProperty property = context.getConfigurationProperty();
        if (property != null && property.getName().equals(name) && isOfDurations(target) && lacksAUnit(property)) {
            tell(property, shown(name, property) + ", without a unit; allowed is " + allowed(target));
            return null;
        }
        return result;
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
        ConfigurationProperty property = context.getConfigurationProperty();
        tell(property, shown(name, property) + "; allowed is " + allowed(target));
        return null;
    }

    /** Once: a list fails after its element. */
    private void tell(@Nullable ConfigurationProperty property, String text) {
        if (property == null || told.add(property.getName())) {
            faults.add("SAGA-CFG-007", text);
        }
    }

    private boolean lacksAUnit(ConfigurationProperty property) {
        String value = environment.resolvePlaceholders(String.valueOf(property.getValue()));
        return Stream.of(value.split(",")).anyMatch(part -> part.trim().matches(NO_UNIT));
    }

    private static boolean isOfDurations(Bindable<?> target) {
        return element(target) == Duration.class;
    }

    private static @Nullable Class<?> element(Bindable<?> target) {
        Class<?> type = target.getType().resolve();
        return isMany(target) ? target.getType().asCollection().resolveGeneric(0) : type;
    }

    private static boolean isMany(Bindable<?> target) {
        Class<?> type = target.getType().resolve();
        return type != null && Collection.class.isAssignableFrom(type);
    }

    private static String shown(ConfigurationPropertyName name, @Nullable ConfigurationProperty property) {
        if (property == null) {
            return name + " cannot be read";
        }
        String origin = property.getOrigin() == null ? "" : " in " + Shown.line(property.getOrigin() + "", 200);
        return name + " is " + Shown.quoted(property.getValue()) + origin;
    }

    private static String allowed(Bindable<?> target) {
        String one = one(element(target));
        return isMany(target) ? one + "; several, separated by commas" : one;
    }

    private static String one(@Nullable Class<?> type) {
        if (type == Duration.class) {
            return "a number with its unit, such as 500ms, 10s or 1h";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type == int.class || type == long.class) {
            return "a whole number";
        }
        return type != null && type.isEnum() ? "one of " + Arrays.toString(type.getEnumConstants()) : "a text";
    }
}
