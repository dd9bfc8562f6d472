package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** What is there for operators, and when. */
@ExtendWith(OutputCaptureExtension.class)
class OperatorsBeansTest {
    private static final String ON = "saga.admin.enabled=true";

    private final WebApplicationContextRunner web = new WebApplicationContextRunner()
            .withConfiguration(Contexts.jdbc())
            .withConfiguration(all())
            .withUserConfiguration(Contexts.OneDefinition.class)
            .withPropertyValues("spring.datasource.url=" + Contexts.h2());

    @Test
    void operators_are_served_in_code_in_any_application() {
        Contexts.onH2().withBean(Support.class).run(context -> {
            UUID saga = Contexts.run(context, Trip.Ending.IS_REJECTED_AND_STUCK).sagaId();

            context.getBean(Support.class).admin().forceComplete(saga, AdminRequest.by("ann", "settled by phone"));

            assertThat(context.getBean(SagaClient.class)
                            .find(saga)
                            .orElseThrow()
                            .status())
                    .isEqualTo(SagaStatus.FORCE_COMPLETED);
        });
    }

    @Test
    void the_beans_give_way_to_the_users_own() {
        Contexts.onH2().withUserConfiguration(OwnBeans.class).run(context -> {
            assertThat(context).hasSingleBean(SagaAdmin.class).hasBean("ownAdmin");
            assertThat(context).hasSingleBean(SagaRetention.class).hasBean("ownRetention");
        });
    }

    @Test
    void without_an_engine_there_is_nothing() {
        web.withPropertyValues("saga.enabled=false", ON)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(SagaAdmin.class)
                        .doesNotHaveBean("sagaAdminServlet"));
    }

    @Test
    void the_rest_api_is_off_by_default() {
        web.withUserConfiguration(Anybody.class)
                .run(context -> assertThat(context).doesNotHaveBean("sagaAdminServlet"));
    }

    @Test
    void the_rest_api_needs_no_spring_mvc() {
        web.withPropertyValues(ON)
                .withUserConfiguration(Anybody.class)
                .withClassLoader(
                        new FilteredClassLoader("org.springframework.web.servlet", "org.springframework.boot.webmvc"))
                .run(OperatorsBeansTest::assertThatItIsThere);
    }

    @Test
    void the_rest_api_needs_no_spring_security() {
        web.withPropertyValues(ON)
                .withUserConfiguration(Anybody.class)
                .withClassLoader(
                        new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"))
                .run(OperatorsBeansTest::assertThatItIsThere);
    }

    @Test
    void without_spring_security_and_without_an_authorizer_the_start_is_refused() {
        web.withPropertyValues(ON)
                .withClassLoader(
                        new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"))
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageStartingWith("SAGA-CFG-009"));
    }

    @Test
    void spring_security_on_the_path_alone_authorises_nothing() {
        web.withPropertyValues(ON)
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageStartingWith("SAGA-CFG-009"));
    }

    @Test
    void an_application_without_servlets_has_no_rest_api_and_one_line_says_so(CapturedOutput output) {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(Contexts.jdbc())
                .withConfiguration(all())
                .withPropertyValues("spring.datasource.url=" + Contexts.h2(), ON)
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(SagaAdmin.class);
                    assertThat(context).doesNotHaveBean("sagaAdminServlet");
                });

        assertThat(output.getAll().lines().filter(line -> line.contains("SAGA-CFG-018")))
                .hasSize(1);
    }

    @Test
    void without_the_servlet_api_a_plain_application_starts() {
        Contexts.onH2()
                .withConfiguration(all())
                .withPropertyValues(ON)
                .withClassLoader(new FilteredClassLoader("jakarta.servlet", "org.springframework.web"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(SagaAdmin.class));
    }

    @Test
    void old_sagas_are_deleted_while_the_engine_runs() {
        Contexts.onH2()
                .withPropertyValues("saga.retention.completed=1m", "saga.retention.interval=1s")
                .run(context -> {
                    UUID saga = Contexts.run(context, Trip.Ending.COMPLETES).sagaId();
                    UUID parked = Contexts.run(context, Trip.Ending.IS_REJECTED_AND_STUCK)
                            .sagaId();
                    JdbcTemplate sql = new JdbcTemplate(context.getBean(DataSource.class));

                    sql.update("update saga_instance set updated_at = dateadd('hour', -1, updated_at)");

                    SagaClient sagas = context.getBean(SagaClient.class);
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> sagas.find(saga).isEmpty());
                    assertThat(sagas.find(parked)).isPresent();
                });
    }

    @Test
    void what_deletes_stops_before_the_engine() {
        Contexts.onH2().run(context -> {
            RetentionLifecycle retention = context.getBean(RetentionLifecycle.class);
            SagaLifecycle engine = context.getBean(SagaLifecycle.class);
            BeanDefinition bean = context.getBeanFactory().getBeanDefinition("sagaRetention");

            assertThat(retention.isRunning()).isTrue();
            assertThat(retention.getPhase()).isGreaterThan(engine.getPhase());
            assertThat(bean.getDestroyMethodName()).isNullOrEmpty();

            context.getSourceApplicationContext().stop();

            assertThat(retention.isRunning()).isFalse();
        });
    }

    private static void assertThatItIsThere(AssertableWebApplicationContext context) {
        assertThat(context).hasNotFailed();
        assertThat(context.getBean("sagaAdminServlet", ServletRegistrationBean.class)
                        .getUrlMappings())
                .isEqualTo(Set.of("/admin/sagas/*"));
    }

    private static AutoConfigurations all() {
        Stream<String> names =
                ImportCandidates.load(AutoConfiguration.class, OperatorsBeansTest.class.getClassLoader())
                        .getCandidates()
                        .stream()
                        .filter(name -> name.startsWith("io.backstep."));
        return AutoConfigurations.of(names.map(OperatorsBeansTest::named).toArray(Class<?>[]::new));
    }

    private static Class<?> named(String name) {
        try {
            return Class.forName(name, false, OperatorsBeansTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    record Support(SagaAdmin admin) {}

    @Configuration(proxyBeanMethods = false)
    static class Anybody {
        @Bean
        SagaAdminAuthorizer anybody() {
            return request -> null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBeans {
        @Bean
        SagaAdmin ownAdmin(SagaEngine engine) {
            return SagaAdmin.of(engine);
        }

        @Bean
        SagaRetention ownRetention(SagaEngine engine) {
            return SagaRetention.of(engine, new RetentionPolicy(Map.of(), Duration.ofHours(1), 10));
        }
    }
}
