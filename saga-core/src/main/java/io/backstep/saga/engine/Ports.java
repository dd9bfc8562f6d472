package io.backstep.saga.engine;

import io.backstep.saga.time.Ids;
import io.backstep.saga.time.MonotonicClock;
import io.backstep.saga.time.Randomness;
import io.backstep.saga.time.Timer;
import io.backstep.saga.time.Waits;
import java.util.concurrent.Executor;

/**
 * Everything that the engine runs on. Production uses threads and real clocks; a simulation uses one thread and virtual time.
 *
 * @param clock the monotonic clock
 * @param timer the timer; its tasks are short
 * @param ids makes saga ids
 * @param randomness draws for jitter
 * @param waits blocks callers that have asked for it
 * @param workers runs user code; may be the application's
 * @param writers runs flushes, which block
 * @param keeper runs claims and the like, which block
 * @param recoverer runs recoveries, which block, also for others who keep a row locked
 * @param renewer runs renewals, which block, and must never wait for anything else
 */
record Ports(
        MonotonicClock clock,
        Timer timer,
        Ids ids,
        Randomness randomness,
        Waits waits,
        Executor workers,
        Executor writers,
        Executor keeper,
        Executor recoverer,
        Executor renewer) {}
