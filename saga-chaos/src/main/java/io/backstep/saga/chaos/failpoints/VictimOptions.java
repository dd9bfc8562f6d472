package io.backstep.saga.chaos.failpoints;

import io.backstep.saga.chaos.NodeOptions;
import io.backstep.saga.testsupport.TestPostgres;
import java.nio.file.Path;

/** Reads what a node is told. */
final class VictimOptions {
    private VictimOptions() {}

    static TestPostgres.Db database(NodeOptions options) {
        return new TestPostgres.Db(value(options, "url"), value(options, "user"), value(options, "password"));
    }

    static Path file(NodeOptions options, String kind) {
        return Path.of(value(options, "folder"), value(options, "file") + "." + kind);
    }

    private static String value(NodeOptions options, String name) {
        String value = options.values().get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing");
        }
        return value;
    }
}
