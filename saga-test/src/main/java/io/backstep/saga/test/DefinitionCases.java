package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.UnknownDefinition;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How versions of definitions become known. */
abstract class DefinitionCases extends StoreCases {
    DefinitionCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void a_definition_is_registered_as_it_is() {
        String name = newName();

        RegisteredDefinition registered = store().register(name, 3, "its fingerprint");

        assertThat(registered.name()).isEqualTo(name);
        assertThat(registered.version()).isEqualTo(3);
        assertThat(registered.fingerprint()).isEqualTo("its fingerprint");
    }

    @Test
    void registering_it_again_finds_it() {
        assertThat(register(definition.name(), definition.version())).isEqualTo(definition);
    }

    @Test
    void the_first_fingerprint_stays() {
        RegisteredDefinition again = store().register(definition.name(), definition.version(), "another");

        assertThat(again).isEqualTo(definition);
        assertThat(again.fingerprint()).isEqualTo("fingerprint");
    }

    @Test
    void versions_share_their_type_and_have_ids_of_their_own() {
        RegisteredDefinition next = register(definition.name(), 2);

        assertThat(next.typeId()).isEqualTo(definition.typeId());
        assertThat(next.definitionId()).isNotEqualTo(definition.definitionId());
        assertThat(register(definition.name(), 1)).isEqualTo(definition);
    }

    @Test
    void other_names_are_other_types_also_by_case() { // F043
        RegisteredDefinition other = register(definition.name().toUpperCase(Locale.ROOT), 1);

        assertThat(other.typeId()).isNotEqualTo(definition.typeId());
        assertThat(other.definitionId()).isNotEqualTo(definition.definitionId());
    }

    @Test
    void ten_nodes_that_register_one_version_at_once_get_one_id() {
        String name = newName();

        List<RegisteredDefinition> registered =
                Together.run(10, number -> store().register(name, 1, "fingerprint " + number));

        assertThat(new HashSet<>(registered)).hasSize(1);
    }

    @Test
    void ten_versions_that_are_registered_at_once_share_one_type() {
        String name = newName();

        List<RegisteredDefinition> registered = Together.run(10, number -> register(name, number + 1));

        assertThat(registered)
                .extracting(RegisteredDefinition::typeId)
                .containsOnly(registered.get(0).typeId());
        assertThat(registered).extracting(RegisteredDefinition::definitionId).doesNotHaveDuplicates();
    }

    @Test
    void what_a_node_does_not_know_is_found_while_its_sagas_wait() { // F085
        String name = newName();
        RegisteredDefinition known = register(name, 1);
        RegisteredDefinition other = register(name, 2);
        register(name, 3);
        for (RegisteredDefinition each : List.of(known, other, other, other)) {
            due(each);
        }
        NewInstance ended = saga(UUID.randomUUID(), other, null, SagaStatus.RUNNING, LEASE_A);
        insert(ended);
        submit(write(ended.sagaId(), 1, 0, SagaStatus.COMPLETED, Hold.END));

        assertThat(unknown(name, List.of(known.definitionId()), 100))
                .containsExactly(new UnknownDefinition(name, 2, 3));
        assertThat(unknown(name, List.of(known.definitionId()), 2)).containsExactly(new UnknownDefinition(name, 2, 2));
        assertThat(unknown(name, List.of(), 100))
                .containsExactly(new UnknownDefinition(name, 1, 1), new UnknownDefinition(name, 2, 3));
        assertThat(unknown(name, List.of(known.definitionId(), other.definitionId()), 100))
                .isEmpty();
    }

    private List<UnknownDefinition> unknown(String name, List<Integer> known, int most) {
        return store().unknown(known, most).stream()
                .filter(version -> version.name().equals(name))
                .toList();
    }

    @Test
    void a_long_fingerprint_is_kept() {
        String fingerprint = "step reserve COMPENSATABLE java.lang.String\n".repeat(200);

        assertThat(store().register(newName(), 1, fingerprint).fingerprint()).isEqualTo(fingerprint);
    }
}
