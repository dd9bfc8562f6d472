package io.backstep.saga.spring.admin;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.admin.SagaAdmin;
import jakarta.servlet.Servlet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.util.function.SingletonSupplier;

/** The REST API for operators, if it is switched on and something says who may use it. */
@AutoConfiguration(
        after = SagaAdminSecurityAutoConfiguration.class,
        afterName = "io.backstep.saga.spring.SagaAutoConfiguration")
@ConditionalOnBooleanProperty("saga.admin.enabled")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(Servlet.class)
@ConditionalOnBean(SagaAdmin.class)
class SagaAdminWebAutoConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(SagaAdminWebAutoConfiguration.class);

    /** The web server asks for its servlets early: what this one needs is made by its first request, in nobody's way. */
    @Bean
    ServletRegistrationBean<?> sagaAdminServlet(
            AdminSettings settings,
            ObjectProvider<SagaAdmin> admin,
            ObjectProvider<SagaAdminAuthorizer> authorizer,
            ListableBeanFactory beans) {
        Supplier<SagaAdminAuthorizer> asked = isThere(beans) ? authorizer::getObject : openToAnyone(settings);
        SagaAdminServlet servlet = new SagaAdminServlet(
                settings.basePath(),
                SingletonSupplier.of(() -> new Endpoints(admin.getObject(), asked.get(), settings.requireIfMatch())));
        ServletRegistrationBean<SagaAdminServlet> registration =
                new ServletRegistrationBean<>(servlet, settings.basePath() + "/*");
        registration.setName("sagaAdmin");
        return registration;
    }

    private static boolean isThere(ListableBeanFactory beans) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, SagaAdminAuthorizer.class, true, false).length
                > 0;
    }

    private static Supplier<SagaAdminAuthorizer> openToAnyone(AdminSettings settings) {
        if (!settings.openToAnyone()) {
            throw nothingAuthorizes();
        }
        LOG.warn(
                "SAGA-CFG-017: saga.admin.dangerously-open-to-anyone is true: whoever reaches {} may read and end every saga",
                settings.basePath());
        return OpenToAnyone::new;
    }

    private static SagaConfigurationException nothingAuthorizes() {
        return new SagaConfigurationException(
                "SAGA-CFG-009",
                "saga.admin.enabled is true, but nothing says who may use it. Either add Spring Security"
                        + " (spring-boot-starter-security), with users in one of the roles of saga.admin.roles; or declare a bean of type"
                        + " SagaAdminAuthorizer; or, where nobody else can reach it, set saga.admin.dangerously-open-to-anyone=true");
    }
}
