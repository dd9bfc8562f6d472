package io.backstep.saga.benchmarks;

import java.util.Arrays;

/** All contenders, by the names of the options and of the results. */
enum Contenders {
    /** Our engine on the JDBC store, with all defaults. */
    BACKSTEP("backstep"),
    /** The same store driven without an engine and without client threads. */
    CEILING("ceiling"),
    /** A loop written by hand. */
    JDBC_LOOP("jdbc-loop"),
    /** DBOS Transact. */
    DBOS("dbos"),
    /** db-scheduler. */
    DB_SCHEDULER("db-scheduler"),
    /** Flowable. */
    FLOWABLE("flowable");

    private final String title;

    Contenders(String title) {
        this.title = title;
    }

    static Contenders named(String title) {
        return Arrays.stream(values())
                .filter(contender -> contender.title.equals(title))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(title + " is no contender"));
    }

    String title() {
        return title;
    }

    /** Whether it takes part. A database that is full of finished sagas is filled for our engine alone. */
    boolean runs(Workload workload) {
        return switch (workload.kind()) {
            case HAPPY -> this == BACKSTEP || !workload.full();
            case REJECTED -> this != CEILING;
            case SLOW, STAYING -> this == BACKSTEP;
            case TRANSACTIONAL -> this == BACKSTEP || this == JDBC_LOOP;
        };
    }

    Contender open(Server database, Kind kind) throws Exception {
        return switch (this) {
            case BACKSTEP -> new Backstep(database, kind);
            case CEILING -> new Ceiling(database);
            case JDBC_LOOP -> new JdbcLoop(database, kind);
            case DBOS -> new Dbos(database, kind);
            case DB_SCHEDULER -> new DbScheduler(database, kind);
            case FLOWABLE -> new Flowable(database, kind);
        };
    }
}
