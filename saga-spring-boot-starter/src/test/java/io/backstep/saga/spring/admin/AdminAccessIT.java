package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Caller;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Right;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Subject;
import io.backstep.saga.store.InstanceSummary;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** How an application lets operators in, or does not; over real HTTP. */
@ExtendWith(OutputCaptureExtension.class)
class AdminAccessIT {
    private static final String ON = "saga.admin.enabled=true";
    private static final String NO_SECURITY = "spring.autoconfigure.exclude="
            + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
            + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
            + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration";

    // F168, S6
    @Test
    void a_fresh_application_answers_404_everywhere() {
        try (AdminSite site = AdminSite.open(List.of(AdminSite.Sagas.class, AdminSite.Hello.class), NO_SECURITY)) {
            UUID saga = Situation.RETRIABLE_EXHAUSTED.make(site);
            assertThat(site.get("anonymous", "/hello").body()).isEqualTo("hello");
            for (String rest : List.of("", "/", "/audit", "/" + saga, "/" + saga + "/history", "/stats")) {
                assertThat(site.get("anonymous", AdminSite.BASE + rest).status())
                        .isEqualTo(404);
            }
            for (String action : List.of(
                    "retry", "retry-compensation", "compensate", "cancel", "force-complete", "steps/ship/resolve")) {
                assertThat(site.act("anonymous", saga, action).status()).isEqualTo(404);
            }
            assertThat(site.audit(saga)).isEmpty();
        }
    }

    // C9, S6
    @Test
    void switched_on_with_nobody_to_say_who_may_it_does_not_start(CapturedOutput output) {
        assertThatThrownBy(() -> AdminSite.open(List.of(AdminSite.Sagas.class), NO_SECURITY, ON))
                .hasStackTraceContaining("SAGA-CFG-009");

        assertThat(output.getAll())
                .contains(
                        "APPLICATION FAILED TO START",
                        "spring-boot-starter-security",
                        "SagaAdminAuthorizer",
                        "saga.admin.dangerously-open-to-anyone");
    }

    @Test
    void it_can_be_opened_to_anyone_by_a_property_that_warns(CapturedOutput output) {
        try (AdminSite site = AdminSite.open(
                List.of(AdminSite.Sagas.class), NO_SECURITY, ON, "saga.admin.dangerously-open-to-anyone=true")) {
            UUID saga = Situation.RETRIABLE_EXHAUSTED.make(site);

            assertThat(site.act("anonymous", saga, "force-complete").status()).isEqualTo(200);
            assertThat(site.audit(saga)).containsExactly("anybody force-complete");
            assertThat(site.post("anonymous", saga, "retry", "{\"reason\":\"a\"}", "Origin: https://evil.example")
                            .status())
                    .isEqualTo(403);
            AdminSecurityIT.assertHeaders(site.get("anonymous", AdminSite.BASE));
            assertThat(output.getAll()).contains("SAGA-CFG-017");
        }
    }

    // S6, S9
    @Test
    void an_authorizer_is_told_the_saga_and_a_foreign_one_looks_like_one_that_is_not_there() {
        try (AdminSite site = AdminSite.open(List.of(AdminSite.Sagas.class, ByTenant.class), NO_SECURITY, ON)) {
            UUID ours = site.start(Parcel.ok().shipping(Parcel.Mode.FAIL), "a-1");
            UUID theirs = site.start(Parcel.ok().shipping(Parcel.Mode.FAIL), "b-1");
            site.rest(ours, SagaStatus.FAILED);
            site.rest(theirs, SagaStatus.FAILED);
            String[] tenant = {"X-Tenant: a"};

            assertThat(site.get("anonymous", AdminSite.BASE).status()).isEqualTo(401);
            assertThat(site.get("anonymous", AdminSite.BASE, tenant)
                            .json()
                            .path("sagas")
                            .valueStream()
                            .map(line -> line.path("businessKey").asString()))
                    .containsExactly("a-1");
            for (String rest : List.of("", "/history")) {
                assertThat(site.get("anonymous", AdminSite.BASE + "/" + theirs + rest, tenant)
                                .body())
                        .isEqualTo(site.get("anonymous", AdminSite.BASE + "/" + UUID.randomUUID() + rest, tenant)
                                .body()
                                .replaceAll("[0-9a-f-]{36}", theirs.toString()));
            }
            for (String action : List.of(
                    "retry", "force-complete", "compensate", "cancel", "retry-compensation", "steps/ship/resolve")) {
                assertThat(site.post("anonymous", theirs, action, "{\"reason\":\"a\"}", tenant)
                                .status())
                        .isEqualTo(404);
            }
            assertThat(site.audit(theirs)).isEmpty();
            assertThat(site.post("anonymous", ours, "force-complete", "{\"reason\":\"a\"}", tenant)
                            .status())
                    .isEqualTo(200);
            assertThat(site.post("anonymous", theirs, "force-complete", "{\"reason\":\"a\"}", "X-Tenant: b")
                            .status())
                    .isEqualTo(200);
            assertThat(site.get("anonymous", AdminSite.BASE + "/audit", tenant)
                            .json()
                            .path("audit")
                            .valueStream()
                            .map(line -> line.path("actor").asString()))
                    .containsExactly("somebody of a");
        }
    }

    // S6: an authorizer that asks for nobody's name does not make our own chain let anybody in
    @Test
    void behind_our_chain_an_authorizer_is_asked_only_about_those_who_have_logged_in() {
        try (AdminSite site =
                AdminSite.open(List.of(AdminSite.Sagas.class, AdminSite.Users.class, Trusting.class), ON)) {
            assertThat(site.get("anonymous", AdminSite.BASE).status()).isEqualTo(401);
            assertThat(site.get("viewer", AdminSite.BASE).status()).isEqualTo(200);
        }
    }

    // S6, F168: the application's rules apply, and ours behind them
    @Test
    void in_an_application_with_a_chain_of_its_own_that_decides_and_so_do_we() {
        try (AdminSite site = AdminSite.open(
                List.of(AdminSite.Sagas.class, AdminSite.Users.class, AdminSite.Hello.class, OwnChain.class), ON)) {
            UUID saga = Situation.RETRIABLE_EXHAUSTED.make(site);

            assertThat(site.context().getBeansOfType(SecurityFilterChain.class)).containsOnlyKeys("own");
            assertThat(site.get("anonymous", "/hello").status()).isEqualTo(200);
            assertThat(site.get("anonymous", AdminSite.BASE).status()).isEqualTo(401);
            assertThat(site.get("viewer", AdminSite.BASE).status()).isEqualTo(200);
            assertThat(site.act("viewer", saga, "force-complete").status()).isEqualTo(403);
            // its chain lets ann look, and not act, whatever her role says to us
            assertThat(site.get("ann", AdminSite.BASE + "/" + saga).status()).isEqualTo(403);
            assertThat(site.audit(saga)).isEmpty();
            assertThat(site.act("operator", saga, "force-complete").status()).isEqualTo(200);
            assertThat(site.audit(saga)).containsExactly("operator force-complete");
        }
    }

    // S6: as in versions of Spring Boot whose default chain had lost its rule
    @Test
    void a_chain_that_lets_everybody_in_opens_nothing() {
        try (AdminSite site =
                AdminSite.open(List.of(AdminSite.Sagas.class, AdminSite.Users.class, OpenChain.class), ON)) {
            UUID saga = Situation.RETRIABLE_EXHAUSTED.make(site);

            assertThat(site.get("anonymous", AdminSite.BASE).status()).isEqualTo(401);
            assertThat(site.get("nobody", AdminSite.BASE).status()).isEqualTo(403);
            assertThat(site.act("anonymous", saga, "force-complete").status()).isEqualTo(401);
            assertThat(site.act("viewer", saga, "force-complete").status()).isEqualTo(403);
            assertThat(site.post(
                                    "operator",
                                    saga,
                                    "force-complete",
                                    "{\"reason\":\"a\"}",
                                    "Origin: https://evil.example")
                            .status())
                    .isEqualTo(403);
            assertThat(site.audit(saga)).isEmpty();
            AdminSecurityIT.assertHeaders(site.get("anonymous", AdminSite.BASE));
        }
    }

    // S7, F168: context path, servlet path; S8, S12, R15: what the application tells Spring MVC does not reach us
    @Test
    void settings_of_spring_mvc_do_not_reach_it() {
        try (AdminSite site = AdminSite.open(
                List.of(AdminSite.Sagas.class, AdminSite.Users.class, AdminSite.Hello.class, HostileMvc.class),
                ON,
                "server.servlet.context-path=/shop",
                "spring.mvc.servlet.path=/api",
                "saga.admin.base-path=/ops/sagas",
                "saga.admin.roles.viewer=NOBODY,OTHER",
                "saga.admin.require-if-match=true")) {
            UUID saga = Situation.RETRIABLE_EXHAUSTED.make(site);
            String base = "/shop/ops/sagas";

            assertThat(site.get("anonymous", base).status()).isEqualTo(401);
            assertThat(site.get("nobody", base).status()).isEqualTo(200);
            assertThat(site.get("viewer", base).status()).isEqualTo(403);
            for (String path :
                    List.of("/ops/sagas", "/shop" + AdminSite.BASE, "/shop//ops/sagas", "/shop/ops/sagas/")) {
                assertThat(site.get("nobody", path).status()).as(path).isIn(400, 401, 404);
            }
            assertThat(site.get("nobody", "/shop/api/ops/sagas").body()).isEqualTo("fine");
            assertThat(site.get("anonymous", "/shop/api/hello").status()).isEqualTo(401);
            RawHttp.Answer answer = site.get("nobody", base + "/" + UUID.randomUUID(), "Origin: https://evil.example");
            assertThat(answer.status()).isEqualTo(403);
            AdminSecurityIT.assertHeaders(answer);
            AdminSecurityIT.assertHeaders(site.get("nobody", base));
            assertThat(site.get("nobody", base + "?size=0").code()).isEqualTo("SAGA-REQ-004");
            String target = base + "/" + saga + "/force-complete";
            RawHttp.Answer without =
                    site.send("POST", "operator", target, "{\"reason\":\"a\"}", "Content-Type: application/json");
            assertThat(without.status()).isEqualTo(428);
            String version = site.get("operator", base + "/" + saga).header("ETag");
            assertThat(site.send(
                                    "POST",
                                    "operator",
                                    target,
                                    "{\"reason\":\"a\"}",
                                    "Content-Type: application/json",
                                    "If-Match: " + version)
                            .status())
                    .isEqualTo(200);
        }
    }

    /** The header says who it is: only behind a proxy that sets it. */
    @Configuration(proxyBeanMethods = false)
    static class ByTenant {
        @Bean
        SagaAdminAuthorizer byTenant() {
            return request -> {
                String tenant = request.getHeader("X-Tenant");
                return tenant == null ? null : new OfTenant(tenant);
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Trusting {
        @Bean
        SagaAdminAuthorizer trusting() {
            return request -> new OfTenant("any");
        }
    }

    record OfTenant(String tenant) implements Caller {
        @Override
        public String name() {
            return "somebody of " + tenant;
        }

        @Override
        public boolean may(Right right) {
            return true;
        }

        @Override
        public boolean may(Right right, Subject subject) {
            InstanceSummary saga = subject.saga();
            return saga != null && String.valueOf(saga.businessKey()).startsWith(tenant + "-");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnChain {
        @Bean
        SecurityFilterChain own(HttpSecurity http) {
            return http.authorizeHttpRequests(all -> all.requestMatchers("/hello")
                            .permitAll()
                            .requestMatchers(AdminSite.BASE + "/**")
                            .access((who, context) ->
                                    new AuthorizationDecision(who.get().isAuthenticated()
                                            && !who.get().getName().equals("ann")
                                            && !who.get().getName().equals("anonymousUser")))
                            .anyRequest()
                            .denyAll())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OpenChain {
        @Bean
        SecurityFilterChain open(HttpSecurity http) {
            return http.authorizeHttpRequests(all -> all.anyRequest().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    /** Opens everything to every site, and answers every failure by 200. */
    @Configuration(proxyBeanMethods = false)
    static class HostileMvc {
        @Bean
        WebMvcConfigurer openToAllSites() {
            return new WebMvcConfigurer() {
                @Override
                public void addCorsMappings(CorsRegistry registry) {
                    registry.addMapping("/**").allowedOrigins("*").allowedMethods("*");
                }
            };
        }

        @Bean
        FilterRegistrationBean<OncePerRequestFilter> openingFilter() {
            var filter = new FilterRegistrationBean<OncePerRequestFilter>(new OpeningFilter());
            filter.setOrder(Integer.MAX_VALUE);
            return filter;
        }

        @RestControllerAdvice
        static class Cheerful {
            @ExceptionHandler(Exception.class)
            String fine() {
                return "fine";
            }
        }
    }

    static final class OpeningFilter extends OncePerRequestFilter {
        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            response.setHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, "*");
            response.setHeader(HttpHeaders.CACHE_CONTROL, "public, max-age=3600");
            response.setContentType(MediaType.TEXT_HTML_VALUE);
            chain.doFilter(request, response);
        }
    }
}
