package io.backstep.saga.spring.admin;

import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.spring.admin.Parcel.Mode;
import java.time.Duration;
import java.util.UUID;

/** Where an operator may find a saga, and how it gets there. */
enum Situation {
    RUNNING_HELD {
        @Override
        UUID make(AdminSite site) {
            return hanging(site, Parcel.ok().paying(Mode.HANG), "pay");
        }
    },
    RUNNING_HELD_TRANSACTIONAL {
        @Override
        UUID make(AdminSite site) {
            return hanging(site, Parcel.ok().booking(Mode.HANG).paying(Mode.HANG), "book");
        }
    },
    RUNNING_RELEASED {
        @Override
        UUID make(AdminSite site) {
            return released(site, Parcel.ok().paying(Mode.FAIL));
        }
    },
    RUNNING_OWNER_LOST {
        @Override
        UUID make(AdminSite site) {
            return lost(site, released(site, Parcel.ok().paying(Mode.FAIL)));
        }
    },
    COMPENSATING_HELD {
        @Override
        UUID make(AdminSite site) {
            return hanging(site, Parcel.ok().paying(Mode.REJECT).undoing(Mode.HANG), "undo");
        }
    },
    COMPENSATING_RELEASED {
        @Override
        UUID make(AdminSite site) {
            return released(site, Parcel.ok().paying(Mode.REJECT).undoing(Mode.FAIL));
        }
    },
    COMPENSATING_OWNER_LOST {
        @Override
        UUID make(AdminSite site) {
            return lost(site, released(site, Parcel.ok().paying(Mode.REJECT).undoing(Mode.FAIL)));
        }
    },
    COMPENSATION_EXHAUSTED {
        @Override
        UUID make(AdminSite site) {
            return parked(site, Parcel.ok().paying(Mode.REJECT).undoing(Mode.FAIL));
        }
    },
    PIVOT_UNKNOWN {
        @Override
        UUID make(AdminSite site) {
            return parked(site, Parcel.ok().confirming(Mode.FAIL));
        }
    },
    RETRIABLE_EXHAUSTED {
        @Override
        UUID make(AdminSite site) {
            return parked(site, Parcel.ok().shipping(Mode.FAIL));
        }
    },
    RETRIABLE_REJECTED {
        @Override
        UUID make(AdminSite site) {
            return parked(site, Parcel.ok().shipping(Mode.REJECT));
        }
    },
    RESULT_TOO_LARGE {
        @Override
        UUID make(AdminSite site) {
            return parked(site, Parcel.ok().reserving(Mode.HUGE));
        }
    },
    UNREADABLE {
        @Override
        UUID make(AdminSite site) {
            return spoilt(site, "steps = 'garbage <script>'");
        }
    },
    STEP_UNKNOWN {
        @Override
        UUID make(AdminSite site) {
            return spoilt(site, "steps = replace(steps, '\"pay\"', '\"bribe\"')");
        }
    },
    COMPLETED {
        @Override
        UUID make(AdminSite site) {
            return site.rest(site.start(Parcel.ok()), SagaStatus.COMPLETED);
        }
    },
    COMPENSATED {
        @Override
        UUID make(AdminSite site) {
            return site.rest(site.start(Parcel.ok().paying(Mode.REJECT)), SagaStatus.COMPENSATED);
        }
    },
    FORCE_COMPLETED {
        @Override
        UUID make(AdminSite site) {
            UUID saga = parked(site, Parcel.ok().shipping(Mode.FAIL));
            site.act("ann", saga, "force-complete");
            return site.rest(saga, SagaStatus.FORCE_COMPLETED);
        }
    },
    UNKNOWN_ID {
        @Override
        UUID make(AdminSite site) {
            return UUID.randomUUID();
        }
    };

    abstract UUID make(AdminSite site);

    boolean held() {
        return name().contains("HELD");
    }

    private static UUID hanging(AdminSite site, Parcel parcel, String what) {
        UUID saga = site.start(parcel);
        Parcel.awaitHanging(saga, what);
        return saga;
    }

    /** As if the step that waits were under way: it has no time to wait for. */
    private static UUID lost(AdminSite site, UUID saga) {
        site.sql()
                .update(
                        "update saga_instance set owner = 'gone#1', due_at = clock_timestamp() - interval '1 minute',"
                                + " steps = replace(regexp_replace(steps,"
                                + " '(WAITING|COMPENSATING)\"((,[0-9]+){5}),[0-9]+', '\\1\"\\2'),"
                                + " 'WAITING', 'EXECUTING') where saga_id = ?",
                        saga);
        return saga;
    }

    private static UUID parked(AdminSite site, Parcel parcel) {
        return site.rest(site.start(parcel), SagaStatus.FAILED);
    }

    static UUID released(AdminSite site, Parcel parcel) {
        UUID saga = site.start(Parcel.PATIENT, parcel);
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> site.row(saga).get("owner") == null);
        return saga;
    }

    private static UUID spoilt(AdminSite site, String change) {
        UUID saga = released(site, Parcel.ok().paying(Mode.FAIL));
        site.sql()
                .update("update saga_instance set " + change + ", due_at = clock_timestamp() where saga_id = ?", saga);
        site.claim(saga);
        return site.rest(saga, SagaStatus.FAILED);
    }
}
