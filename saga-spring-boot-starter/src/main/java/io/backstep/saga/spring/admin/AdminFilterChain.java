package io.backstep.saga.spring.admin;

import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Right;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;

/**
 * The chain of our addresses, for applications without a chain of their own: HTTP Basic with the application's users, no session. A
 * request with an Authorization header needs no CSRF token; what pages of others send is refused by {@link Origins}.
 */
final class AdminFilterChain {
    private static final Answer.Header CHALLENGE = new Answer.Header("WWW-Authenticate", "Basic realm=\"sagas\"");

    private final AnswerWriter writer = new AnswerWriter();
    private final String basePath;
    private final SagaAdminAuthorizer authorizer;

    private AdminFilterChain(String basePath, SagaAdminAuthorizer authorizer) {
        this.basePath = basePath;
        this.authorizer = authorizer;
    }

    static SecurityFilterChain of(HttpSecurity http, String basePath, SagaAdminAuthorizer authorizer) {
        return new AdminFilterChain(basePath, authorizer).build(http);
    }

    private SecurityFilterChain build(HttpSecurity http) {
        return http.securityMatcher(this::isOurs)
                .authorizeHttpRequests(all -> all.anyRequest()
                        .access((who, context) -> new AuthorizationDecision(mayPass(who.get(), context.getRequest()))))
                .httpBasic(basic -> basic.authenticationEntryPoint((request, response, e) -> logIn(response)))
                .exceptionHandling(
                        failures -> failures.authenticationEntryPoint((request, response, e) -> logIn(response))
                                .accessDeniedHandler((request, response, e) -> forbid(response)))
                .csrf(csrf -> csrf.csrfTokenRepository(tokens())
                        .ignoringRequestMatchers(request -> request.getHeader("Authorization") != null))
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .requestCache(cache -> cache.disable())
                .logout(logout -> logout.disable())
                .build();
    }

    /** What the container hands to our servlet, however it was spelt. */
    private boolean isOurs(HttpServletRequest request) {
        return request.getServletPath().equals(basePath);
    }

    private boolean mayPass(@Nullable Authentication who, HttpServletRequest request) {
        if (authorizer instanceof SecurityContextAuthorizer byRoles) {
            Set<Right> rights = byRoles.rights(who);
            return rights.contains(request.getMethod().equals("POST") ? Right.OPERATE : Right.VIEW);
        }
        return who != null && who.isAuthenticated() && !(who instanceof AnonymousAuthenticationToken);
    }

    private CookieCsrfTokenRepository tokens() {
        CookieCsrfTokenRepository tokens = new CookieCsrfTokenRepository();
        tokens.setCookieName("SAGA-CSRF");
        tokens.setCookieCustomizer(cookie -> cookie.sameSite("Strict").httpOnly(true));
        return tokens;
    }

    private void logIn(HttpServletResponse response) throws IOException {
        writer.write(new RefusedException(401, "SAGA-HTTP-401", "log in first", CHALLENGE).answer(), response);
    }

    private void forbid(HttpServletResponse response) throws IOException {
        writer.write(new RefusedException(403, "SAGA-HTTP-403", "you may not do this").answer(), response);
    }
}
