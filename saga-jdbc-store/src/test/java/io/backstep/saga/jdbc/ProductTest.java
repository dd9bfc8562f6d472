package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProductTest {
    @ParameterizedTest // F044
    @CsvSource({
        "MariaDB, 10.5.29-MariaDB-1, 10.6.0",
        "MariaDB, 5.5.68-MariaDB, 10.6.0",
        "MySQL, 5.5.5-10.5.29-MariaDB, 10.6.0",
        "MySQL, 5.7.44-log, 8.0.17",
        "MySQL, 8.0.16, 8.0.17",
        "MySQL, none, 8.0.17"
    })
    void too_old_a_version_is_refused_with_the_one_that_is_needed(String name, String version, String needed) {
        assertThatThrownBy(() -> Product.of(name, version))
                .isInstanceOf(SagaConfigurationException.class)
                .hasMessageStartingWith("SAGA-CFG-002")
                .hasMessageContainingAll(version, "needed is " + needed);
    }

    @ParameterizedTest
    @CsvSource({
        "MariaDB, 10.11.19-MariaDB-0+deb12u1, MARIADB",
        "MariaDB, 10.6.0-MariaDB, MARIADB",
        "MySQL, 5.5.5-10.11.19-MariaDB-0+deb12u1, MARIADB",
        "MySQL, 11.4.5-mariadb, MARIADB",
        "MySQL, 8.0.17, MYSQL",
        "MySQL, 9.2, MYSQL",
        "PostgreSQL, 17.2, POSTGRESQL",
        "H2, 2.4.240, H2"
    })
    void a_mariadb_is_known_though_a_driver_calls_it_mysql(String name, String version, Product product) {
        assertThat(Product.of(name, version)).isEqualTo(product);
    }

    @Test
    void mysql_uses_the_tables_of_mariadb() {
        assertThat(Product.MYSQL.folder()).isEqualTo("mariadb");
        assertThat(Product.MYSQL.wait(5)).isEmpty();
    }
}
