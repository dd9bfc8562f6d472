package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SagaSchemaTest {
    @ParameterizedTest // C4
    @ValueSource(
            strings = {
                "",
                " ",
                "1saga_",
                "x\"; drop table orders",
                "x\"; drop table",
                "a-b",
                "a.b",
                "ä_",
                "saga_\n",
                "saga_\u0000",
                "forty_characters_are_more_than_31_______",
                "a b",
                "select",
                "TABLE",
                "Order",
                "user"
            })
    void odd_names_are_refused(String name) {
        assertRefused(name, null)
                .hasMessageContaining("saga.schema.table-prefix is " + Shown.quoted(name) + "; allowed are");
        assertRefused("saga_", name)
                .hasMessageContaining("saga.schema.name is " + Shown.quoted(name) + "; allowed are");
    }

    @ParameterizedTest
    @ValueSource(strings = {"order_", "selects", "_", "saga"})
    void a_name_may_contain_a_reserved_word(String name) {
        assertThat(SagaSchema.Options.of(name, name).tablePrefix()).isEqualTo(name);
    }

    @Test
    void a_name_has_up_to_31_characters() {
        assertThat(SagaSchema.Options.of("p".repeat(31), "_".repeat(31)).tablePrefix())
                .hasSize(31);
        assertRefused("p".repeat(32), null);
        assertRefused("saga_", "s".repeat(32));
    }

    @Test
    void another_database_is_refused_by_its_name() {
        assertThatThrownBy(() -> SagaSchema.ddl("Oracle"))
                .isInstanceOf(SagaConfigurationException.class)
                .hasMessageContainingAll("SAGA-CFG-002", "Oracle", "PostgreSQL", "H2");
    }

    @Test
    void the_ddl_has_no_placeholder_left() {
        assertThat(SagaSchema.ddl("postgresql"))
                .contains("create table saga_instance")
                .doesNotContain("${");
        assertThat(SagaSchema.ddl("h2")).contains("create table saga_instance").doesNotContain("${");
    }

    @Test
    void the_ddl_of_mariadb_compares_keys_byte_by_byte_on_mysql_as_well() {
        assertThat(SagaSchema.ddl("mariadb"))
                .contains("create table if not exists saga_instance", "utf8mb4_nopad_bin")
                .doesNotContain("${");
        assertThat(SagaSchema.ddl("mysql")).contains("utf8mb4_0900_bin").doesNotContain("nopad", "${");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "h2", "mariadb", "mysql"})
    void the_ddl_for_participants_has_none_of_the_sagas(String database) {
        assertThat(SagaSchema.participantDdl(database))
                .contains("saga_guard")
                .doesNotContain("saga_instance", "saga_audit", "${");
        assertThat(SagaSchema.ddl(database)).endsWith(SagaSchema.participantDdl(database));
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(String prefix, String schema) {
        return assertThatThrownBy(() -> SagaSchema.Options.of(prefix, schema))
                .isInstanceOf(SagaConfigurationException.class)
                .hasMessageStartingWith("SAGA-CFG-004");
    }
}
