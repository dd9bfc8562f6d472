package io.backstep.saga.serialization;

import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;

/** Refuses types that name the class of a value in the data: whoever can write that could choose what is loaded. Declared names are fine. */
final class NoClassNames extends PolymorphicTypeValidator.Base {
    private static final long serialVersionUID = 1L;

    @Override
    public Validity validateBaseType(DatabindContext context, JavaType baseType) {
        return context.reportBadDefinition(
                baseType,
                baseType.getRawClass().getName()
                        + " takes the class of a value from the data; declare names, by @JsonTypeInfo(use = NAME)");
    }
}
