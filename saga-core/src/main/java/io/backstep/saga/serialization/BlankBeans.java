package io.backstep.saga.serialization;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;

/** Refuses objects that have data of which Jackson sees nothing: it would write {@code {}}, and the data would be gone. */
final class BlankBeans extends ValueSerializerModifier {
    private static final long serialVersionUID = 1L;

    @Override
    public ValueSerializer<?> modifySerializer(
            SerializationConfig config, BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        boolean blank = isBlank(serializer) && bean.get().findAnyGetter() == null;
        return blank && hasData(bean.getBeanClass()) ? new Refusal(bean.getBeanClass()) : serializer;
    }

    private static boolean isBlank(ValueSerializer<?> serializer) {
        return serializer instanceof UnknownSerializer
                || serializer instanceof BeanSerializerBase
                        && !serializer.properties().hasNext();
    }

    private static boolean hasData(@Nullable Class<?> type) {
        return type != null
                && (Stream.of(type.getDeclaredFields()).anyMatch(BlankBeans::isData) || hasData(type.getSuperclass()));
    }

    private static boolean isData(Field field) {
        int modifiers = field.getModifiers();
        boolean ignored = Stream.of(field.getAnnotations())
                .anyMatch(each -> each.annotationType().getSimpleName().equals("JsonIgnore"));
        return !ignored && !field.isSynthetic() && !Modifier.isStatic(modifiers) && !Modifier.isTransient(modifiers);
    }

    /** Stands where nothing would be written. */
    static final class Refusal extends ValueSerializer<Object> {
        private final Class<?> type;

        Refusal(Class<?> type) {
            this.type = type;
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            context.reportBadDefinition(type, fault(type.getName()));
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext context, TypeSerializer typeSerializer) {
            serialize(value, generator, context);
        }

        static String fault(String place) {
            return place + ", of which nothing would be written: it has fields, but no getter and no public field";
        }
    }
}
