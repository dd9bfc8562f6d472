package io.backstep.saga.serialization;

import io.backstep.saga.Shown;
import java.lang.reflect.Type;
import java.util.Optional;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks Jackson about a type, and about its elements, before there is any value of it. What lies deeper is found by the value's round
 * trip.
 */
final class TypeProbe {
    private final JsonMapper mapper;

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

    private Optional<String> fault(JavaType type) {
        if (type.getContentType() != null) {
            return fault(type.getContentType());
        }
        return type.isJavaLangObject() ? Optional.empty() : writeFault(type).or(() -> readFault(type));
    }

    private Optional<String> writeFault(JavaType type) {
        return type.isConcrete()
                        && mapper._serializationContext().findValueSerializer(type) instanceof BlankBeans.Refusal
                ? Optional.of(BlankBeans.Refusal.fault(type.getRawClass()))
                : Optional.empty();
    }

    private Optional<String> readFault(JavaType type) {
        ValueDeserializer<?> reader = mapper._deserializationContext().findRootValueDeserializer(type);
        if (reader instanceof AbstractDeserializer) {
            return Optional.of(type.getRawClass().getName()
                    + ", which cannot be read back: it is abstract, and no @JsonTypeInfo tells the class of a value");
        }
        return reader instanceof BeanDeserializerBase bean
                        && !bean.getValueInstantiator().canInstantiate()
                ? Optional.of(type.getRawClass().getName()
                        + ", which cannot be read back: it has no constructor that Jackson could call")
                : Optional.empty();
    }
}
