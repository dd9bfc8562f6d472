package io.backstep.saga.examples.order;

import jakarta.servlet.DispatcherType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Who may do what. The shop is open to all, as shops are; everything that is not named here needs the operator's login. With a chain
 * of our own there is no default chain, nor one of the starter: the last chain must take all that is left.
 */
@Configuration(proxyBeanMethods = false)
class OperatorAccess {
    private static final String[] OPEN = {
        "/orders/**", "/stock/**", "/participants/**", "/actuator/health/**", "/actuator/prometheus"
    };
    private static final String SAGAS = "/admin/sagas/**";

    /**
     * CSRF protection keeps pages of others from using what a browser sends by itself: a session, or a login that it remembers. There is
     * none here: no cookie, no login, so such a page gets no further than anybody. A shop with a login needs the protection.
     */
    @Bean
    @Order(1)
    SecurityFilterChain shop(HttpSecurity http) {
        return http.securityMatcher(OPEN)
                .authorizeHttpRequests(all -> all.anyRequest().permitAll())
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .csrf(csrf -> csrf.disable())
                .build();
    }

    /**
     * Browsers do remember a login by HTTP Basic. The REST API refuses by itself what pages of others send; for it alone tokens, which
     * curl does not have, are not asked for.
     */
    @Bean
    @Order(2)
    SecurityFilterChain everythingElse(HttpSecurity http) {
        return http.authorizeHttpRequests(all -> all.dispatcherTypeMatchers(DispatcherType.ERROR)
                        .permitAll() // the page that says what went wrong, also in the shop; not when asked for
                        .requestMatchers(SAGAS)
                        .hasAnyRole("SAGA_VIEWER", "SAGA_OPERATOR", "SAGA_ADMIN")
                        .anyRequest()
                        .authenticated())
                .httpBasic(Customizer.withDefaults())
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .csrf(csrf -> csrf.ignoringRequestMatchers(SAGAS))
                .build();
    }

    /** One operator, who may look and act. SAGA_ADMIN, too, would show what customers have sent. */
    @Bean
    UserDetailsService operators(OperatorLogin login) {
        UserDetails operator = User.withUsername(OperatorLogin.USER)
                .password(PasswordEncoderFactories.createDelegatingPasswordEncoder()
                        .encode(login.password()))
                .roles("SAGA_OPERATOR")
                .build();
        return new InMemoryUserDetailsManager(operator);
    }
}
