package io.backstep.saga.spring.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Refuses what a page of somebody else makes a browser send. Only browsers send these headers, and pages cannot forge them. */
final class Origins {
    private static final Set<String> OUR_OWN = Set.of("same-origin", "none");

    private Origins() {}

    static void check(HttpServletRequest request) {
        String origin = request.getHeader("Origin");
        String site = request.getHeader("Sec-Fetch-Site");
        boolean acts = !request.getMethod().equals("GET");
        if ((origin != null && !isOurs(origin, request)) || (acts && site != null && !OUR_OWN.contains(site))) {
            throw new RefusedException(403, "SAGA-HTTP-403", "a page of another site may not use this");
        }
    }

    /** The scheme may differ: a proxy that ends TLS keeps the host. */
    private static boolean isOurs(String origin, HttpServletRequest request) {
        String host = request.getHeader("Host");
        String sent = authority(origin);
        return sent != null && host != null && sent.equals(plain(host));
    }

    private static @Nullable String authority(String origin) {
        try {
            String authority = URI.create(origin).getRawAuthority();
            return authority == null ? null : plain(authority);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static String plain(String authority) {
        return authority.toLowerCase(Locale.ROOT).replaceAll(":(80|443)$", "");
    }
}
