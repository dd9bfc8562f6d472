package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.spring.admin.Parcel.Mode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input over HTTP: each is answered by what is wrong, and nothing is done. */
class AdminInputIT {
    private static final AdminSite SITE = AdminSite.shared();
    private static UUID parked;
    private static Map<String, Object> row;

    @BeforeAll
    static void park() {
        parked = SITE.rest(SITE.start(Parcel.ok().shipping(Mode.FAIL)), SagaStatus.FAILED);
        row = SITE.row(parked);
    }

    // R1
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/01a22871-c291-7000-9c47-bc1dffd252d4",
                "/not-an-id",
                "/01A22871-C291-7000-9C47-BC1DFFD252D4",
                "/1-1-1-1-1",
                "/../../etc/passwd",
                "/..%2f..%2fetc%2fpasswd",
                "/%00",
                "/<img src=x>",
                "/stats",
                "/definitions",
                "/bulk/retry"
            })
    void an_id_that_is_none_is_404_or_400_and_never_shown_as_html(String rest) {
        RawHttp.Answer answer = SITE.get("admin", AdminSite.BASE + rest.replace(" ", "%20"));

        // 401: an error page of the application, which its default chain guards
        assertThat(answer.status()).isIn(400, 401, 404);
        assertThat(answer.body()).doesNotContain("<img");
        assertThat(answer.body()).doesNotContain("root:");
    }

    // R1
    @Test
    void an_id_of_10_kb_is_refused() {
        assertThat(SITE.get("admin", AdminSite.BASE + "/" + "a".repeat(10_000)).status())
                .isIn(400, 404);
    }

    // R1
    @Test
    void an_unknown_id_has_the_same_answer_for_every_address() {
        UUID unknown = UUID.randomUUID();

        assertThat(Stream.of("", "/history")
                        .map(rest -> SITE.get("viewer", AdminSite.BASE + "/" + unknown + rest)
                                .body())
                        .distinct())
                .hasSize(1);
        assertThat(SITE.act("operator", unknown, "retry").body())
                .isEqualTo(SITE.get("viewer", AdminSite.BASE + "/" + unknown).body());
    }

    // R3
    @ParameterizedTest
    @MethodSource("badReasons")
    void a_reason_is_needed(String body) {
        assertBad(post("force-complete", body), "reason", "SAGA-REQ-001");
    }

    static Stream<String> badReasons() {
        return Stream.of(
                "{}",
                "{\"reason\":\"\"}",
                "{\"reason\":\"   \"}",
                "{\"reason\":\"\\t\\n\\u2003\"}",
                "{\"reason\":\"" + "x".repeat(501) + "\"}",
                "{\"reason\":\"" + "x".repeat(5000) + "\"}",
                "{\"reason\":\"a\\u0000b\"}",
                "{\"reason\":\"a\\ud800b\"}");
    }

    // R3, S10, F169
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<img src=x onerror=alert(1)>",
                "</script><script>alert(1)</script>",
                "javascript:alert(1)",
                "${jndi:ldap://example.org/a}",
                "#{T(java.lang.Runtime).getRuntime()}",
                "\u202Ereversed",
                "a\r\nERROR admin logged in",
                "'; drop table saga_audit; --"
            })
    void a_hostile_reason_is_stored_and_shown_literally(String reason) {
        UUID saga = SITE.rest(SITE.start(Parcel.ok().shipping(Mode.FAIL)), SagaStatus.FAILED);
        String body = "{\"reason\":" + new tools.jackson.databind.json.JsonMapper().writeValueAsString(reason) + "}";

        assertThat(SITE.post("operator", saga, "force-complete", body).status()).isEqualTo(200);

        RawHttp.Answer audit = SITE.get("viewer", AdminSite.BASE + "/audit?sagaId=" + saga);
        assertThat(audit.json().at("/audit/0/reason").asString()).isEqualTo(reason);
        assertThat(audit.header("Content-Type")).isEqualTo("application/json");
        assertThat(audit.header("X-Content-Type-Options")).isEqualTo("nosniff");
    }

    // R6
    @ParameterizedTest
    @MethodSource("badBodies")
    void a_body_that_is_no_json_object_is_refused_with_its_place(byte[] body, String place) {
        RawHttp.Answer answer = SITE.send(
                "POST", "operator", AdminSite.BASE + "/" + parked + "/retry", body, "Content-Type: application/json");

        assertBad(answer, "body", "SAGA-REQ-005");
        assertThat(answer.json().path("detail").asString()).contains(place);
    }

    static Stream<Arguments> badBodies() {
        return Stream.of(
                Arguments.of(bytes(""), "must be a JSON object"),
                Arguments.of(bytes("null"), "must be a JSON object"),
                Arguments.of(bytes("[]"), "must be a JSON object"),
                Arguments.of(bytes("\"x\""), "must be a JSON object"),
                Arguments.of(bytes("1e999999999"), "must be a JSON object"),
                Arguments.of(bytes("[".repeat(10_000)), "must be a JSON object"),
                Arguments.of(bytes("{\"reason\":\"a\""), "line 1"),
                Arguments.of(bytes("{\"reason\":\"a\"} x"), "line 1, column"),
                Arguments.of(bytes("{\"reason\":\"a\"}{}"), "line 1, column"),
                Arguments.of(bytes("{\"reason\":\"a\",\n\"reason\":\"b\"}"), "line 2, column"),
                Arguments.of(bytes("{\"reason\":\"a\" /* why */}"), "line 1, column"),
                Arguments.of(bytes("{'reason':'a'}"), "line 1, column"),
                Arguments.of(bytes("{reason:\"a\"}"), "line 1, column"),
                Arguments.of(bytes("{\"reason\":\"a\",}"), "line 1, column"),
                Arguments.of(bytes("{\"reason\":\"a\nb\"}"), "line 1, column"),
                Arguments.of(bytes("\uFEFF{\"reason\":\"a\"}"), "byte order mark"),
                Arguments.of("{\"reason\":\"a\"}".getBytes(StandardCharsets.UTF_16), "byte"),
                Arguments.of(new byte[] {'{', '"', 'r', (byte) 0xC3, '"', '}'}, "not UTF-8, byte 4"),
                Arguments.of("{\"reason\":\"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1), "not UTF-8, byte 12"));
    }

    // R7, S10, S19
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            retry          | {"reason":"a","state":"COMPLETED","epoch":99} | state                    | SAGA-REQ-003
            retry          | {"reason":"a","actor":"root"}                 | actor                    | SAGA-REQ-003
            retry          | {"reason":"a","class.module.classLoader":1}   | class.module.classLoader | SAGA-REQ-003
            retry          | {"reason":"a","version":"1"}                  | version                  | SAGA-REQ-003
            retry          | {"reason":"a","Reason":"b"}                   | Reason                   | SAGA-REQ-003
            retry          | {"reason":1}                                  | reason                   | SAGA-REQ-004
            retry          | {"reason":9223372036854775808}                | reason                   | SAGA-REQ-004
            retry          | {"reason":1.5}                                | reason                   | SAGA-REQ-004
            retry          | {"reason":1e999999999}                        | reason                   | SAGA-REQ-004
            retry          | {"reason":true}                               | reason                   | SAGA-REQ-004
            retry          | {"reason":null}                               | reason                   | SAGA-REQ-004
            retry          | {"reason":["a"]}                              | reason                   | SAGA-REQ-004
            retry          | {"reason":{"a":{"a":{}}}}                     | reason                   | SAGA-REQ-004
            retry          | {"reason":"a","force":"true"}                 | force                    | SAGA-REQ-004
            retry          | {"reason":"a","force":1}                      | force                    | SAGA-REQ-004
            retry          | {"reason":"a","force":null}                   | force                    | SAGA-REQ-004
            cancel         | {"reason":"a","force":true}                   | force                    | SAGA-REQ-003
            compensate     | {"reason":"a","force":false}                  | force                    | SAGA-REQ-003
            """)
    void a_field_that_is_unknown_or_of_another_type_is_named(String action, String body, String field, String code) {
        assertBad(post(action, body), field, code);
    }

    // R9
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Content-Type: text/plain",
                "Content-Type: application/xml",
                "Content-Type: application/x-www-form-urlencoded",
                "Content-Type: multipart/form-data; boundary=x",
                "Content-Type: application/json; charset=utf-7",
                "Content-Type: application/json; charset=iso-8859-1",
                "Content-Type: application/*",
                "Content-Type: ;;;"
            })
    void only_json_in_utf_8_is_taken(String header) {
        String body = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>";

        RawHttp.Answer answer = SITE.send(
                "POST",
                "operator",
                AdminSite.BASE + "/" + parked + "/force-complete",
                body,
                header.isEmpty() ? new String[0] : new String[] {header});

        assertThat(answer.status()).isEqualTo(415);
        assertUntouched();
    }

    @Test
    void json_may_name_its_character_set() {
        UUID saga = SITE.rest(SITE.start(Parcel.ok().shipping(Mode.FAIL)), SagaStatus.FAILED);

        assertThat(SITE.send(
                                "POST",
                                "operator",
                                AdminSite.BASE + "/" + saga + "/force-complete",
                                "{\"reason\":\"\u00e9\u20ac\"}",
                                "Content-Type: application/json;charset=UTF-8")
                        .status())
                .isEqualTo(200);
    }

    // R10
    @Test
    void a_browser_gets_json_and_whoever_wants_html_nothing() {
        String target = AdminSite.BASE + "/" + UUID.randomUUID();

        assertThat(SITE.get("viewer", target, "Accept: text/html").status()).isEqualTo(406);
        assertThat(SITE.get("viewer", target, "Accept: application/json;q=0").status())
                .isEqualTo(406);
        RawHttp.Answer browser =
                SITE.get("viewer", target, "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
        assertThat(browser.status()).isEqualTo(404);
        assertThat(browser.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(SITE.get("viewer", AdminSite.BASE, "Accept: text/html, application/*")
                        .status())
                .isEqualTo(200);
    }

    // R11, S5, S17
    @ParameterizedTest
    @CsvSource({
        "size, 0",
        "size, -1",
        "size, 201",
        "size, 1000000000",
        "size, 99999999999999999999",
        "size, abc",
        "size, 1.0",
        "cursor, forged",
        "cursor, AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "cursor, %3Cscript%3E",
        "status, running",
        "status, ' RUNNING'",
        "from, yesterday",
        "from, 2026-01-31",
        "to, %2B999999999-12-31T00:00:00Z",
        "to, 0000-01-01T00:00:00Z"
    })
    void a_query_parameter_with_another_value_is_named(String name, String value) {
        RawHttp.Answer answer = SITE.get("viewer", AdminSite.BASE + "?" + name + "=" + value.replace(" ", "%20"));

        assertBad(answer, name, "SAGA-REQ-004");
    }

    // R11
    @ParameterizedTest
    @ValueSource(
            strings = {
                "sort=id",
                "q=a",
                "sort=id;drop%20table",
                "state=FAILED",
                "page=1",
                "Status=FAILED",
                "dryRun=true"
            })
    void an_unknown_query_parameter_is_named_wherever_it_stands(String parameter) {
        String name = parameter.substring(0, parameter.indexOf('='));

        for (String path : List.of("", "/audit", "/" + parked, "/" + parked + "/history")) {
            assertBad(SITE.get("viewer", AdminSite.BASE + path + "?" + parameter), name, "SAGA-REQ-003");
        }
        assertBad(SITE.post("operator", parked, "retry?" + parameter, "{\"reason\":\"a\"}"), name, "SAGA-REQ-003");
    }

    @Test
    void a_parameter_stands_there_once_and_an_empty_one_counts_as_left_out() {
        assertBad(SITE.get("viewer", AdminSite.BASE + "?size=1&size=2"), "size", "SAGA-REQ-004");
        assertThat(SITE.get("viewer", AdminSite.BASE + "?status=&name=&businessKey=&step=&from=&to=&cursor=&size=")
                        .status())
                .isEqualTo(200);
    }

    // R11
    @Test
    void a_cursor_is_good_for_its_own_filter_only() {
        SITE.rest(SITE.start(Parcel.ok().shipping(Mode.FAIL)), SagaStatus.FAILED);
        String next = SITE.get("viewer", AdminSite.BASE + "?status=FAILED&size=1")
                .json()
                .path("next")
                .asString();

        assertThat(SITE.get("viewer", AdminSite.BASE + "?status=FAILED&size=2&cursor=" + next)
                        .status())
                .isEqualTo(200);
        assertBad(SITE.get("viewer", AdminSite.BASE + "?cursor=" + next), "cursor", "SAGA-REQ-004");
        assertBad(SITE.get("viewer", AdminSite.BASE + "?status=RUNNING&cursor=" + next), "cursor", "SAGA-REQ-004");
        assertBad(SITE.get("viewer", AdminSite.BASE + "/audit?cursor=" + next), "cursor", "SAGA-REQ-004");
        assertBad(SITE.get("viewer", AdminSite.BASE + "?status=FAILED&cursor=" + next + "="), "cursor", "SAGA-REQ-004");
    }

    // R13, S5
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'",
                "%",
                "_",
                "\\",
                "%%%",
                "' or '1'='1",
                "(select pg_sleep(5))",
                "\u202Eabc",
                "\u05E9\u05DC\u05D5\u05DD",
                "<img src=x onerror=alert(1)>"
            })
    void filters_match_literally(String hostile) {
        UUID saga = SITE.start(Parcel.ok(), hostile);
        String encoded = URLEncoder.encode(hostile, StandardCharsets.UTF_8);

        RawHttp.Answer found = SITE.get("viewer", AdminSite.BASE + "?businessKey=" + encoded);

        assertThat(found.json().path("sagas")).hasSize(1);
        assertThat(found.json().at("/sagas/0/sagaId").asString()).isEqualTo(saga.toString());
        assertThat(found.json().at("/sagas/0/businessKey").asString()).isEqualTo(hostile);
        for (String name : List.of("name", "step")) {
            RawHttp.Answer none = SITE.get("viewer", AdminSite.BASE + "?" + name + "=" + encoded);
            assertThat(none.status()).isEqualTo(200);
            assertThat(none.json().path("sagas")).isEmpty();
        }
    }

    // R13
    @ParameterizedTest
    @ValueSource(strings = {"name", "businessKey", "step"})
    void filters_are_bounded(String name) {
        assertBad(SITE.get("viewer", AdminSite.BASE + "?" + name + "=" + "x".repeat(1000)), name, "SAGA-REQ-001");
        assertBad(SITE.get("viewer", AdminSite.BASE + "?" + name + "=a%00b"), name, "SAGA-REQ-001");
    }

    // R15
    @ParameterizedTest
    @CsvSource({
        "GET, retry, POST",
        "PUT, retry, POST",
        "HEAD, retry, POST",
        "OPTIONS, retry, POST",
        "DELETE, retry, POST",
        "POST, '', GET",
        "PUT, '', GET",
        "HEAD, '', GET",
        "OPTIONS, '', GET",
        "DELETE, '', GET",
        "PATCH, history, GET"
    })
    void another_method_is_405_and_names_the_right_one(String method, String rest, String right) {
        String target = AdminSite.BASE + "/" + parked + (rest.isEmpty() ? "" : "/" + rest);

        RawHttp.Answer answer = SITE.send(
                method,
                "admin",
                target,
                "{\"reason\":\"a\"}",
                "Content-Type: application/json",
                "Origin: http://localhost:" + SITE.port());

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("Allow")).isEqualTo(right);
        assertThat(answer.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
        assertUntouched();
    }

    // R15
    @ParameterizedTest
    @ValueSource(strings = {"TRACE", "FOO", "get"})
    void a_method_that_the_firewall_refuses_does_nothing(String method) {
        assertThat(SITE.send(method, "admin", AdminSite.BASE + "/" + parked + "/history", "")
                        .status())
                .isIn(400, 401, 405);
    }

    // R17, S3
    @Test
    void a_compressed_body_is_refused_unread() throws IOException {
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bomb)) {
            zip.write(new byte[10 * 1024 * 1024]);
        }
        for (String encoding : List.of("gzip", "br", "identity, gzip", "GZIP")) {
            RawHttp.Answer answer = SITE.send(
                    "POST",
                    "operator",
                    AdminSite.BASE + "/" + parked + "/retry",
                    bomb.toByteArray(),
                    "Content-Type: application/json",
                    "Content-Encoding: " + encoding);
            assertThat(answer.status()).isIn(413, 415);
        }
        assertUntouched();
    }

    // R17
    @Test
    void a_body_of_more_than_16_kib_is_refused() {
        String body = "{\"reason\":\"" + "x".repeat(16 * 1024) + "\"}";
        String target = AdminSite.BASE + "/" + parked + "/retry";

        assertThat(post("retry", body).code()).isEqualTo("SAGA-HTTP-413");
        RawHttp.Answer chunked = SITE.send(
                "POST",
                "operator",
                target,
                Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n",
                "Content-Type: application/json",
                "Transfer-Encoding: chunked",
                "Content-Length-Not: 1");
        assertThat(chunked.status()).isIn(400, 413);
        assertUntouched();
    }

    @ParameterizedTest
    @CsvSource({
        "'If-Match: 1.2', If-Match",
        "'If-Match: W/\"1.2\"', If-Match",
        "'If-Match: \"1\", \"2\"', If-Match",
        "'Idempotency-Key: ', Idempotency-Key"
    })
    void a_header_that_is_malformed_is_named(String header, String name) {
        RawHttp.Answer answer = SITE.post("operator", parked, "retry", "{\"reason\":\"a\"}", header);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().path("field").asString()).isEqualTo(name);
        assertUntouched();
    }

    @Test
    void an_idempotency_key_has_at_most_200_characters_and_stands_there_once() {
        String[] twice = {"Idempotency-Key: a", "Idempotency-Key: b"};

        assertBad(
                SITE.post("operator", parked, "retry", "{\"reason\":\"a\"}", twice), "Idempotency-Key", "SAGA-REQ-004");
        assertBad(
                SITE.post("operator", parked, "retry", "{\"reason\":\"a\"}", "Idempotency-Key: " + "x".repeat(201)),
                "Idempotency-Key",
                "SAGA-REQ-001");
    }

    private static RawHttp.Answer post(String action, String body) {
        return SITE.post("operator", parked, action, body);
    }

    private static void assertBad(RawHttp.Answer answer, String field, String code) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.json().path("field").asString()).isEqualTo(field);
        assertUntouched();
    }

    private static void assertUntouched() {
        assertThat(SITE.row(parked)).isEqualTo(row);
        assertThat(SITE.audit(parked)).isEmpty();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
