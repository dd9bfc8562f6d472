package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may do what, in an application that has left its chain to Spring Boot. */
class AdminSecurityIT {
    private static final AdminSite SITE = AdminSite.shared();
    private static final String BODY = "{\"reason\":\"a test\"}";
    private static final String JSON = "Content-Type: application/json";
    private static UUID parked;
    private static Map<String, Object> row;

    @BeforeAll
    static void park() {
        parked = Situation.RETRIABLE_EXHAUSTED.make(SITE);
        row = SITE.row(parked);
    }

    // S6, F168
    @ParameterizedTest
    @CsvSource({"anonymous, 401, 401", "nobody, 403, 403", "viewer, 200, 403", "operator, 200, 400", "admin, 200, 400"})
    void roles_say_who_may_look_and_who_may_act(String user, int look, int act) {
        for (String rest : List.of("", "/audit", "/" + parked, "/" + parked + "/history")) {
            assertThat(SITE.get(user, AdminSite.BASE + rest).status()).isEqualTo(look);
        }
        for (String action : List.of(
                "retry", "retry-compensation", "compensate", "cancel", "force-complete", "steps/ship/resolve")) {
            // a request that is refused for its reason, by whoever gets that far; without a login, for its missing
            // token
            assertThat(SITE.post(user, parked, action, "{}").status()).isEqualTo(act == 401 ? 403 : act);
        }
        assertUntouched();
    }

    @Test
    void a_wrong_password_is_401_and_says_how_to_log_in() {
        RawHttp.Answer answer = SITE.get(
                "anonymous",
                AdminSite.BASE,
                "Authorization: " + AdminSite.basic("viewer").replace("dm", "dn"));

        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.header("WWW-Authenticate")).startsWith("Basic");
        assertThat(answer.code()).isEqualTo("SAGA-HTTP-401");
    }

    // S6: the chain of Spring Boot still closes everything else
    @Test
    void the_rest_of_the_application_stays_as_closed_as_it_was() {
        assertThat(SITE.get("anonymous", "/hello").status()).isEqualTo(401);
        assertThat(SITE.get("nobody", "/hello").body()).isEqualTo("hello");
        assertThat(SITE.get("anonymous", "/admin").status()).isEqualTo(401);
        assertThat(SITE.get("anonymous", "/admin/sagasandmore").status()).isEqualTo(401);
    }

    // S8
    @ParameterizedTest
    @MethodSource("foreign")
    void what_the_page_of_another_site_sends_is_refused(List<String> headers, int status) {
        RawHttp.Answer answer = SITE.send(
                "POST",
                "operator",
                AdminSite.BASE + "/" + parked + "/force-complete",
                BODY,
                headers.toArray(String[]::new));

        assertThat(answer.status()).isEqualTo(status);
        assertUntouched();
    }

    static Stream<Arguments> foreign() {
        return Stream.of(
                Arguments.of(List.of(JSON, "Origin: https://evil.example"), 403),
                Arguments.of(List.of(JSON, "Origin: null"), 403),
                Arguments.of(List.of(JSON, "Origin: http://localhost:1"), 403),
                Arguments.of(List.of(JSON, "Origin: http://localhost.evil.example"), 403),
                Arguments.of(List.of(JSON, "Origin: http://user@localhost"), 403),
                Arguments.of(List.of(JSON, "Origin: ::"), 403),
                Arguments.of(List.of(JSON, "Sec-Fetch-Site: cross-site"), 403),
                Arguments.of(List.of(JSON, "Sec-Fetch-Site: same-site"), 403),
                Arguments.of(List.of("Content-Type: text/plain"), 415),
                Arguments.of(List.of("Content-Type: application/x-www-form-urlencoded"), 415));
    }

    // S8
    @Test
    void without_an_authorization_header_a_token_is_needed() {
        for (String cookie : List.of("Cookie: JSESSIONID=x", "Cookie: SAGA-CSRF=x", "X-Other: x")) {
            RawHttp.Answer answer = SITE.post("anonymous", parked, "force-complete", BODY, cookie);

            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.header("Set-Cookie")).doesNotContain("JSESSIONID");
        }
        assertUntouched();
    }

    @Test
    void a_page_of_the_own_site_may_act() {
        UUID saga = Situation.RETRIABLE_EXHAUSTED.make(SITE);

        assertThat(SITE.post(
                                "operator",
                                saga,
                                "force-complete",
                                BODY,
                                "Origin: https://localhost:" + SITE.port(),
                                "Sec-Fetch-Site: same-origin")
                        .status())
                .isEqualTo(200);
    }

    // S12
    @ParameterizedTest
    @MethodSource("answers")
    void every_answer_has_our_headers(String user, String method, String rest, String body, int status) {
        RawHttp.Answer answer = SITE.send(method, user, AdminSite.BASE + rest, body, JSON);

        assertThat(answer.status()).isEqualTo(status);
        assertHeaders(answer);
    }

    static Stream<Arguments> answers() {
        String id = "/" + UUID.randomUUID();
        return Stream.of(
                Arguments.of("viewer", "GET", "", "", 200),
                Arguments.of("viewer", "GET", "/audit", "", 200),
                Arguments.of("viewer", "GET", id, "", 404),
                Arguments.of("viewer", "GET", "/nothing", "", 404),
                Arguments.of("viewer", "GET", "?size=0", "", 400),
                Arguments.of("viewer", "PUT", "", "", 405),
                Arguments.of("viewer", "OPTIONS", "", "", 405),
                Arguments.of("viewer", "POST", id + "/retry", "{}", 403),
                Arguments.of("operator", "POST", id + "/retry", "{}", 400),
                Arguments.of("operator", "POST", id + "/retry", BODY, 404),
                Arguments.of("nobody", "GET", "", "", 403),
                Arguments.of("anonymous", "GET", "", "", 401),
                Arguments.of("anonymous", "POST", id + "/retry", BODY, 403));
    }

    static void assertHeaders(RawHttp.Answer answer) {
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.header("Content-Security-Policy")).isEqualTo("default-src 'none'; frame-ancestors 'none'");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(answer.header("Content-Type")).startsWith("application/");
        assertThat(answer.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
    }

    // S7
    @ParameterizedTest
    @MethodSource("addressesOfUsers")
    void tricks_with_the_address_lead_nowhere(String user, Address address) {
        List<Trick> tricks = Stream.concat(
                        spellings(address.path()).map(target -> new Trick(address.method(), target, "X-Other: 1")),
                        others(address))
                .toList();
        for (Trick trick : tricks) {
            String body = trick.method().equals("POST") ? BODY : "";
            RawHttp.Answer answer = SITE.send(trick.method(), user, trick.target(), body, JSON, trick.header());

            assertThat(answer.status()).as("%s as %s", trick, user).isIn(400, 401, 403, 404, 405);
            assertThat(answer.body()).doesNotContain("\"sagas\"", "\"instance\"", "\"history\"", "\"audit\"");
        }
        assertThat(tricks).hasSizeGreaterThan(35);
        assertUntouched();
    }

    static Stream<Arguments> addressesOfUsers() {
        return Stream.of("anonymous", "viewer", "operator")
                .flatMap(user -> addresses().map(address -> Arguments.of(user, address)));
    }

    private record Trick(String method, String target, String header) {}

    private record Address(String method, String path) {}

    private static Stream<Address> addresses() {
        String saga = AdminSite.BASE + "/" + parked;
        return Stream.of(
                new Address("GET", AdminSite.BASE),
                new Address("GET", AdminSite.BASE + "/audit"),
                new Address("GET", saga),
                new Address("GET", saga + "/history"),
                new Address("POST", saga + "/retry"),
                new Address("POST", saga + "/retry-compensation"),
                new Address("POST", saga + "/compensate"),
                new Address("POST", saga + "/cancel"),
                new Address("POST", saga + "/force-complete"),
                new Address("POST", saga + "/steps/ship/resolve"));
    }

    private static Stream<String> spellings(String path) {
        int last = path.lastIndexOf('/');
        String parent = path.substring(0, last);
        String leaf = path.substring(last + 1);
        return Stream.of(
                "/" + path,
                parent + "//" + leaf,
                path + "/",
                path + "//",
                path + ";x=1",
                parent + ";x=1/" + leaf,
                path + "/.",
                path + "/x/..",
                parent + "/./" + leaf,
                parent + "/x/../" + leaf,
                parent + "/x/%2e%2e/" + leaf,
                "/hello/%2e%2e" + path,
                "/hello/..;" + path,
                parent + "%2F" + leaf,
                parent + "%252F" + leaf,
                parent + "\\" + leaf,
                path + "%00",
                path + "%0a",
                path + "%20",
                path + ".json",
                path + ".html",
                path + "%3f.css",
                path.toUpperCase(Locale.ROOT),
                parent + "/%" + Integer.toHexString(leaf.charAt(0)) + leaf.substring(1),
                "/x" + path,
                "/actuator" + path,
                "/health" + path);
    }

    private static Stream<Trick> others(Address address) {
        String other = address.method().equals("GET") ? "POST" : "GET";
        Stream<Trick> methods = Stream.of("HEAD", "OPTIONS", "TRACE", "PUT", "PATCH", "DELETE", other)
                .map(method -> new Trick(method, address.path(), "X-Other: 1"));
        Stream<Trick> overridden = Stream.of("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override")
                .map(name -> new Trick(other, address.path(), name + ": " + address.method()));
        Stream<Trick> moved = Stream.of("X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Prefix")
                .map(name -> new Trick(address.method(), "/nothing", name + ": " + address.path()));
        return Stream.of(methods, overridden, moved).flatMap(all -> all);
    }

    private static void assertUntouched() {
        assertThat(SITE.row(parked)).isEqualTo(row);
        assertThat(SITE.audit(parked)).isEmpty();
    }
}
