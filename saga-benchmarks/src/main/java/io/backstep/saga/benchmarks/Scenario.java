package io.backstep.saga.benchmarks;

import java.util.Map;

/** Something to measure. */
interface Scenario {
    /** The options that it has, with their defaults. */
    Map<String, String> defaults();

    /** Measures; tells whether all bars are met. */
    boolean run(Settings settings, Server server, Report report) throws Exception;
}
