package io.backstep.saga.spring.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;

/** Asks Spring Security who it is, and goes by their roles, for all sagas alike. */
final class SecurityContextAuthorizer implements SagaAdminAuthorizer {
    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();
    private final AdminSettings.Roles roles;

    SecurityContextAuthorizer(AdminSettings.Roles roles) {
        this.roles = roles;
    }

    @Override
    public @Nullable Caller caller(HttpServletRequest request) {
        Authentication who = SecurityContextHolder.getContext().getAuthentication();
        return who == null || !trust.isAuthenticated(who) ? null : new ByRole(who.getName(), rights(who));
    }

    Set<Right> rights(@Nullable Authentication who) {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        if (who == null || !trust.isAuthenticated(who)) {
            return rights;
        }
        Set<String> granted = who.getAuthorities().stream()
                .map(GrantedAuthority::getAuthority)
                .collect(Collectors.toSet());
        if (hasOne(granted, roles.admin())) {
            rights.addAll(EnumSet.allOf(Right.class));
        }
        if (hasOne(granted, roles.operator())) {
            rights.addAll(EnumSet.of(Right.VIEW, Right.OPERATE));
        }
        if (hasOne(granted, roles.viewer())) {
            rights.add(Right.VIEW);
        }
        return rights;
    }

    private static boolean hasOne(Set<String> granted, List<String> roles) {
        return roles.stream().anyMatch(role -> granted.contains(role) || granted.contains("ROLE_" + role));
    }

    private record ByRole(String name, Set<Right> rights) implements Caller {
        @Override
        public boolean may(Right right) {
            return rights.contains(right);
        }

        @Override
        public boolean may(Right right, Subject subject) {
            return may(right);
        }
    }
}
