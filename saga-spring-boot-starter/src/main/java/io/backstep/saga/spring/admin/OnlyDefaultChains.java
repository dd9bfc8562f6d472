package io.backstep.saga.spring.admin;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.core.type.MethodMetadata;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Whether the application has left its chains to Spring Boot. Else its own rules apply to us as well: a chain of ours before them
 * might allow what they forbid.
 */
final class OnlyDefaultChains extends SpringBootCondition implements ConfigurationCondition {
    private static final String DEFAULTS = "org.springframework.boot.security.autoconfigure.";

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        String[] chains =
                beans == null ? new String[0] : beans.getBeanNamesForType(SecurityFilterChain.class, true, false);
        boolean onlyDefaults =
                beans != null && chains.length > 0 && Stream.of(chains).allMatch(name -> isDefault(beans, name));
        return new ConditionOutcome(
                onlyDefaults,
                ConditionMessage.forCondition("chains of the application").because(String.join(", ", chains)));
    }

    private static boolean isDefault(ConfigurableListableBeanFactory beans, String name) {
        return beans.containsBeanDefinition(name) && isDefault(beans.getBeanDefinition(name));
    }

    private static boolean isDefault(BeanDefinition bean) {
        @Nullable
        MethodMetadata factory =
                bean instanceof AnnotatedBeanDefinition annotated ? annotated.getFactoryMethodMetadata() : null;
        return factory != null && factory.getDeclaringClassName().startsWith(DEFAULTS);
    }
}
