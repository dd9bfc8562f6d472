package io.backstep.saga.jdbc;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The databases that are supported. */
enum Product {
    POSTGRESQL,
    H2,
    MARIADB,
    /** Like MariaDB, but for few words; nobody has tested it. */
    MYSQL;

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)(?:\\.(\\d+))?");

    /** What a driver of MySQL is told first by a MariaDB, for the sake of old ones. */
    private static final String DISGUISE = "5.5.5-";

    static Product named(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "postgresql" -> POSTGRESQL;
            case "h2" -> H2;
            case "mariadb" -> MARIADB;
            case "mysql" -> MYSQL;
            default ->
                throw new SagaConfigurationException(
                        "SAGA-CFG-002",
                        "the database is " + Shown.quoted(name)
                                + "; supported are PostgreSQL, H2 and MariaDB (MySQL is accepted, but untested)");
        };
    }

    /** As the metadata of a connection say; a MariaDB may call itself MySQL there. */
    static Product of(String name, String version) {
        Product named = named(name);
        Product product = named == MYSQL && version.toLowerCase(Locale.ROOT).contains("mariadb") ? MARIADB : named;
        switch (product) {
            case MARIADB -> product.require(version, "10.6.0", "SKIP LOCKED");
            case MYSQL -> product.require(version, "8.0.17", "SKIP LOCKED and utf8mb4_0900_bin");
            default -> {}
        }
        return product;
    }

    private void require(String version, String needed, String what) {
        String own = version.startsWith(DISGUISE) ? version.substring(DISGUISE.length()) : version;
        if (number(own) < number(needed)) {
            throw new SagaConfigurationException(
                    "SAGA-CFG-002",
                    "the database is " + (this == MARIADB ? "MariaDB" : "MySQL") + " of version "
                            + Shown.quoted(version) + "; needed is " + needed + " or newer, for " + what);
        }
    }

    private static long number(String version) {
        Matcher parts = VERSION.matcher(version);
        if (!parts.find()) {
            return 0;
        }
        String patch = parts.group(3);
        return (Long.parseLong(parts.group(1)) * 1000 + Long.parseLong(parts.group(2))) * 1000
                + (patch == null ? 0 : Long.parseLong(patch));
    }

    String folder() {
        return this == MYSQL ? MARIADB.folder() : name().toLowerCase(Locale.ROOT);
    }

    /** A name that keeps its case. */
    String quoted(String name) {
        char quote = bytewise() ? '`' : '"';
        return quote + name + quote;
    }

    Dialect dialect(Sql sql, Reach reach) {
        return switch (this) {
            case POSTGRESQL -> new PostgresDialect(sql, reach);
            case H2 -> new H2Dialect(sql);
            case MARIADB, MYSQL -> new MariaDbDialect(sql, this);
        };
    }

    Binding binding() {
        return bytewise() ? new Binding.Bytes(this == MARIADB) : new Binding.Direct();
    }

    /** A collation that compares byte by byte, and spaces at the end as well. */
    String collation() {
        return this == MYSQL ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin";
    }

    /** For how long FOR UPDATE waits; MySQL knows only its session's limit. */
    String wait(int seconds) {
        return this == MYSQL ? "" : " wait " + seconds;
    }

    /** Whether a statement of DDL commits by itself, and what came before a failure stays. */
    boolean commitsDdl() {
        return bytewise();
    }

    private boolean bytewise() {
        return this == MARIADB || this == MYSQL;
    }
}
