package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.serialization.AesGcmCodec;
import io.backstep.saga.serialization.PayloadCodec;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** What operators see of payloads that a bean has encrypted. */
class AdminEncryptionIT {
    private static final String KEY = "bm90LWEtc2VjcmV0LWJ1dC1nb29kLWZvci1hLXRlc3Q=";
    private static final AdminSite SITE = AdminSite.open(
            List.of(AdminSite.Sagas.class, AdminSite.Users.class, Codec.class), "saga.admin.enabled=true");

    @Configuration(proxyBeanMethods = false)
    static class Codec {
        @Bean
        PayloadCodec codec() {
            return AesGcmCodec.of("k1", KEY);
        }
    }

    @AfterAll
    static void close() {
        SITE.close();
    }

    private static JsonNode json(String user, UUID saga, String rest) {
        RawHttp.Answer answer = SITE.get(user, AdminSite.BASE + "/" + saga + rest);
        assertThat(answer.status()).isEqualTo(200);
        return answer.json();
    }

    @Test
    void no_table_has_anything_in_the_clear() {
        UUID saga = Situation.COMPENSATION_EXHAUSTED.make(SITE);
        UUID failed = Situation.RETRIABLE_EXHAUSTED.make(SITE);

        List<String> tables = SITE.sql()
                .queryForList(
                        "select table_name from information_schema.tables where table_name like 'saga\\_%'",
                        String.class);

        assertThat(tables).contains("saga_instance", "saga_step_history", "saga_compensation_log");
        assertThat(tables)
                .allSatisfy(table -> assertThat(
                                SITE.sql().queryForList("select t::text from " + table + " t", String.class))
                        .noneMatch(row -> row.contains(Parcel.SECRET) || row.contains("alert(1)")));
        assertThat(SITE.sql().queryForList("select input from saga_instance", String.class))
                .allMatch(input -> input.startsWith("~k1:"));
        assertThat(json("admin", failed, "?decode=true").toString()).contains("alert(1)");
        assertThat(json("admin", saga, "?decode=true").toString()).contains(Parcel.SECRET);
    }

    @Test
    void who_may_see_payloads_sees_that_they_are_encoded_and_decodes_them_on_record() { // R19
        UUID saga = Situation.COMPENSATION_EXHAUSTED.make(SITE);

        JsonNode stored = json("admin", saga, "");
        assertThat(stored.at("/instance/input/encodedBy").asString()).isEqualTo("k1");
        assertThat(stored.at("/steps/0/result/encodedBy").asString()).isEqualTo("k1");
        assertThat(stored.at("/compensations/0/request/encodedBy").asString()).isEqualTo("k1");
        assertThat(json("admin", saga, "/history")
                        .at("/history/0/result/encodedBy")
                        .asString())
                .isEqualTo("k1");
        assertThat(SITE.audit(saga)).isEmpty();

        JsonNode decoded = json("admin", saga, "?decode=true");
        assertThat(decoded.at("/instance/input/undo").asString()).isEqualTo("FAIL");
        assertThat(decoded.at("/steps/0/result").asString()).isEqualTo(Parcel.SECRET);
        assertThat(decoded.at("/compensations/0/request").asString()).isEqualTo(Parcel.SECRET);
        assertThat(json("admin", saga, "/history?decode=true")
                        .at("/history/0/result")
                        .asString())
                .isEqualTo(Parcel.SECRET);
        assertThat(SITE.audit(saga)).containsExactly("admin decode", "admin decode");
    }

    @ParameterizedTest
    @ValueSource(strings = {"viewer", "operator"})
    void who_may_not_see_payloads_sees_nothing_and_asking_is_on_record(String user) { // R19
        UUID saga = Situation.COMPENSATION_EXHAUSTED.make(SITE);

        for (String rest : List.of("", "?decode=true")) {
            JsonNode detail = json(user, saga, rest);
            assertThat(detail.at("/instance/input").asString()).isEqualTo("***");
            assertThat(detail.at("/steps/0/result").asString()).isEqualTo("***");
            assertThat(detail.at("/compensations/0/lastError").asString()).isEqualTo("***");
        }
        assertThat(json(user, saga, "/history?decode=true")
                        .at("/history/0/result")
                        .asString())
                .isEqualTo("***");
        assertThat(SITE.audit(saga)).containsExactly(user + " decode", user + " decode");
        assertThat(SITE.sql()
                        .queryForList(
                                "select distinct status_after from saga_audit where saga_id = ?", String.class, saga))
                .containsExactly("refused");
    }

    @Test
    void what_cannot_be_decoded_stays_as_it_is_and_its_saga_can_be_retried_when_it_can() {
        UUID saga = Situation.RETRIABLE_EXHAUSTED.make(SITE);
        String input =
                SITE.sql().queryForObject("select input from saga_instance where saga_id = ?", String.class, saga);
        SITE.sql().update("update saga_instance set input = replace(input, '~k1:', '~k0:') where saga_id = ?", saga);

        assertThat(json("admin", saga, "?decode=true")
                        .at("/instance/input/encodedBy")
                        .asString())
                .isEqualTo("k0");
        assertThat(SITE.act("operator", saga, "retry").status()).isEqualTo(200);
        SITE.rest(saga, SagaStatus.FAILED);
        assertThat(json("viewer", saga, "").at("/instance/reason").asString()).isEqualTo("UNREADABLE");
        assertThat(json("admin", saga, "/history?size=200&decode=true").toString())
                .contains("by the key k0");

        SITE.sql().update("update saga_instance set input = ? where saga_id = ?", input, saga);
        assertThat(SITE.act("operator", saga, "retry").status()).isEqualTo(200);
        SITE.rest(saga, SagaStatus.FAILED);
        assertThat(json("viewer", saga, "").at("/instance/reason").asString()).isEqualTo("RETRIABLE_EXHAUSTED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"?decode=yes", "?decode=true&decode=true", "/history?decode=1"})
    void the_parameter_is_checked(String rest) {
        UUID saga = Situation.COMPLETED.make(SITE);
        RawHttp.Answer answer = SITE.get("admin", AdminSite.BASE + "/" + saga + rest);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().path("field").asString()).isEqualTo("decode");
    }
}
