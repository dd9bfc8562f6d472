package io.backstep.saga.examples.order.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.StepRejectedException;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Each call is a transaction of its own, as in the service. */
@DataJpaTest(showSql = false)
@Import(Inventory.class)
@Transactional(propagation = Propagation.NOT_SUPPORTED)
class InventoryIT {
    @Autowired
    Inventory inventory;

    @Autowired
    JdbcClient sql;

    private final String key = UUID.randomUUID().toString();

    @BeforeEach
    void refill() {
        sql.sql("update stock set stock = 3, reserved = 0 where sku = 'lamp'").update();
    }

    @Test
    void what_is_reserved_is_still_there_but_nobody_elses() {
        inventory.reserve(key, "lamp", 2);

        assertLamps(3, 2);
        assertThatThrownBy(() -> inventory.reserve("another " + key, "lamp", 2))
                .isInstanceOfSatisfying(
                        StepRejectedException.class, no -> assertThat(no.code()).isEqualTo("OUT_OF_STOCK"));
        assertLamps(3, 2);
    }

    @Test
    void a_duplicate_reservation_gets_the_first_answer() {
        Reservation first = inventory.reserve(key, "lamp", 2);

        assertThat(inventory.reserve(key, "lamp", 2)).isEqualTo(first);
        assertLamps(3, 2);
    }

    @Test
    void a_duplicate_release_has_no_second_effect() {
        inventory.reserve("another " + key, "lamp", 1);
        inventory.reserve(key, "lamp", 2);

        inventory.release(key);
        inventory.release(key);

        assertLamps(3, 1);
    }

    @Test
    void a_release_of_nothing_refuses_a_late_reservation() {
        inventory.release(key);
        inventory.release(key);

        assertThatThrownBy(() -> inventory.reserve(key, "lamp", 1)).isInstanceOf(StepRejectedException.class);
        assertLamps(3, 0);
    }

    @Test
    void a_reservation_after_its_release_is_refused() {
        inventory.reserve(key, "lamp", 1);
        inventory.release(key);

        assertThatThrownBy(() -> inventory.reserve(key, "lamp", 1)).isInstanceOf(StepRejectedException.class);
        assertLamps(3, 0);
    }

    @Test
    void what_is_taken_is_gone_once() {
        inventory.reserve(key, "lamp", 2);

        inventory.take(key);
        inventory.take(key);

        assertLamps(1, 0);
    }

    @Test
    void what_is_taken_can_not_be_released() {
        inventory.reserve(key, "lamp", 2);
        inventory.take(key);

        assertThatThrownBy(() -> inventory.release(key)).isInstanceOf(StepRejectedException.class);
        assertLamps(1, 0);
    }

    @Test
    void what_is_released_or_unknown_can_not_be_taken() {
        inventory.reserve(key, "lamp", 2);
        inventory.release(key);

        assertThatThrownBy(() -> inventory.take(key)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> inventory.take("another " + key)).isInstanceOf(IllegalStateException.class);
        assertLamps(3, 0);
    }

    @Test
    void no_crowd_gets_more_than_there_is() {
        List<Boolean> got =
                IntStream.range(0, 12).parallel().mapToObj(i -> gets(key + i)).toList();

        assertThat(got).filteredOn(yes -> yes).hasSize(3);
        assertLamps(3, 3);
    }

    @Test
    void a_crowd_with_one_key_reserves_once() {
        List<Boolean> got =
                IntStream.range(0, 12).parallel().mapToObj(i -> gets(key)).toList();

        assertThat(got).contains(true);
        assertLamps(3, 1);
    }

    private boolean gets(String with) {
        try {
            inventory.reserve(with, "lamp", 1);
            return true;
        } catch (StepRejectedException | DataIntegrityViolationException no) {
            return false;
        }
    }

    private void assertLamps(int stock, int reserved) {
        assertThat(inventory.level("lamp")).contains(new StockLevel("lamp", stock, reserved));
    }
}
