package io.backstep.saga.spring;

import io.backstep.saga.testsupport.TestPostgres;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** Whole applications on PostgreSQL. */
final class Applications {
    private Applications() {}

    static ConfigurableApplicationContext run(TestPostgres.Db database, Class<?> configuration, String... properties) {
        return start(WebApplicationType.NONE, database, configuration, withoutJpa(properties));
    }

    static ConfigurableApplicationContext web(TestPostgres.Db database, Class<?> configuration, String... properties) {
        return start(WebApplicationType.SERVLET, database, configuration, withoutJpa(properties));
    }

    static ConfigurableApplicationContext withJpa(TestPostgres.Db database, Class<?> configuration) {
        return start(
                WebApplicationType.NONE, database, configuration, Stream.of("spring.jpa.hibernate.ddl-auto=create"));
    }

    /** Hibernate takes seconds to start, and Spring Security closes what these applications show. */
    private static Stream<String> withoutJpa(String... properties) {
        String excluded = Stream.of(
                        HibernateJpaAutoConfiguration.class,
                        DataJpaRepositoriesAutoConfiguration.class,
                        ManagementWebSecurityAutoConfiguration.class,
                        ServletWebSecurityAutoConfiguration.class)
                .map(Class::getName)
                .collect(Collectors.joining(","));
        return Stream.concat(Stream.of("spring.autoconfigure.exclude=" + excluded), Stream.of(properties));
    }

    private static ConfigurableApplicationContext start(
            WebApplicationType type, TestPostgres.Db database, Class<?> configuration, Stream<String> properties) {
        SpringApplication application = new SpringApplication(configuration);
        application.setWebApplicationType(type);
        application.setRegisterShutdownHook(false);
        Stream<String> common = Stream.of(
                "spring.datasource.url=" + database.url(),
                "spring.datasource.username=" + database.user(),
                "spring.datasource.password=" + database.password(),
                "spring.flyway.enabled=false",
                "spring.liquibase.enabled=false",
                "server.port=0",
                "saga.poll-interval=20ms");
        return application.run(Stream.concat(common, properties)
                .map(property -> "--" + property)
                .toArray(String[]::new));
    }
}
