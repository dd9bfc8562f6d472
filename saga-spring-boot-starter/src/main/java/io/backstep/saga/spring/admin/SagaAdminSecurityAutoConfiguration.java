package io.backstep.saga.spring.admin;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Lets Spring Security say who operates, if it is there. Comes after Spring Boot's own: its default chain, which closes the rest of the
 * application, is only there when there is no other at that time.
 */
@AutoConfiguration(
        afterName = {
            "io.backstep.saga.spring.SagaAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration"
        })
@ConditionalOnBooleanProperty("saga.admin.enabled")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({SecurityFilterChain.class, HttpSecurity.class})
@ConditionalOnBean(type = "io.backstep.saga.admin.SagaAdmin", name = "springSecurityFilterChain")
class SagaAdminSecurityAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(SagaAdminAuthorizer.class)
    SecurityContextAuthorizer sagaAdminAuthorizer(AdminSettings settings) {
        return new SecurityContextAuthorizer(settings.roles());
    }

    /** Before the default chain, which is the last of all. */
    @Bean
    @Order(-10)
    @Conditional(OnlyDefaultChains.class)
    @ConditionalOnBean(HttpSecurity.class)
    @ConditionalOnMissingBean(name = "sagaAdminSecurityFilterChain")
    SecurityFilterChain sagaAdminSecurityFilterChain(
            HttpSecurity http, AdminSettings settings, SagaAdminAuthorizer authorizer) {
        return AdminFilterChain.of(http, settings.basePath(), authorizer);
    }
}
