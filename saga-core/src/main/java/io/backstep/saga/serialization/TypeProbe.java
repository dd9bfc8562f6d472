package io.backstep.saga.serialization;

import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.backstep.saga.Shown;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks Jackson about a type, its elements and its components, before there is any value of it. What subtypes add is found by the value's
 * round trip.
 */
final class TypeProbe {
    private static final List<Class<? extends Annotation>> OWN_WAYS = List.of(
            JsonTypeInfo.class,
            JsonDeserialize.class,
            JsonSerialize.class,
            JsonIgnoreProperties.class,
            JsonIncludeProperties.class,
            JsonUnwrapped.class,
            JsonManagedReference.class,
            JsonBackReference.class);

    private final JsonMapper mapper;
    private final Set<JavaType> seen = new HashSet<>();

    TypeProbe(JsonMapper mapper) {
        this.mapper = mapper;
    }

    Optional<String> fault(Type type) {
        try {
            return fault(mapper.constructType(type));
        } catch (RuntimeException | LinkageError e) {
            return Optional.of(
                    type.getTypeName() + ", which Jackson refuses: " + Shown.line(String.valueOf(e.getMessage()), 200));
        }
    }

    private Optional<String> fault(JavaType root) {
        JavaType element = root;
        while (element.getContentType() != null) {
            element = element.getContentType();
        }
        return fault(root, element.getRawClass().getName());
    }

    private Optional<String> fault(JavaType type, String path) {
        JavaType content = type.getContentType();
        if (type.getRawClass().isAnnotationPresent(JsonDeserialize.class)) {
            return Optional.empty();
        }
        if (content != null) {
            checkKeys(type);
            return fault(content, path);
        }
        return type.isJavaLangObject() || !seen.add(type)
                ? Optional.empty()
                : writeFault(type, path).or(() -> readFault(type, path));
    }

    /** Throws when there is no way to read keys of such a type. */
    private void checkKeys(JavaType map) {
        if (map.getKeyType() != null) {
            mapper._deserializationContext().findKeyDeserializer(map.getKeyType(), null);
        }
    }

    private Optional<String> writeFault(JavaType type, String path) {
        return type.isConcrete()
                        && mapper._serializationContext().findValueSerializer(type) instanceof BlankBeans.Refusal
                ? Optional.of(BlankBeans.Refusal.fault(path))
                : Optional.empty();
    }

    private Optional<String> readFault(JavaType type, String path) {
        ValueDeserializer<?> reader = mapper._deserializationContext().findRootValueDeserializer(type);
        if (reader instanceof AbstractDeserializer) {
            return Optional.of(path
                    + ", which cannot be read back: it is abstract, and no @JsonTypeInfo tells the class of a value");
        }
        if (!(reader instanceof BeanDeserializerBase bean)) {
            return Optional.empty();
        }
        ValueInstantiator maker = bean.getValueInstantiator();
        if (!maker.canInstantiate()) {
            return Optional.of(path + ", which cannot be read back: it has no constructor that Jackson could call");
        }
        return maker.canCreateUsingDefault() || maker.canCreateFromObjectWith()
                ? componentFault(bean, path)
                : Optional.empty(); // made of one value, as of a text
    }

    private Optional<String> componentFault(BeanDeserializerBase bean, String path) {
        for (Iterator<SettableBeanProperty> each = bean.properties(); each.hasNext(); ) {
            SettableBeanProperty component = each.next();
            if (!isReadInItsOwnWay(component)) {
                Optional<String> fault = fault(component.getType(), path + "." + component.getName());
                if (fault.isPresent()) {
                    return fault;
                }
            }
        }
        return Optional.empty();
    }

    /** Then its type does not tell whether it can be. */
    private static boolean isReadInItsOwnWay(SettableBeanProperty component) {
        return component.hasValueTypeDeserializer()
                || OWN_WAYS.stream().anyMatch(way -> component.getAnnotation(way) != null);
    }
}
