package io.backstep.saga.engine;

import io.backstep.saga.SagaStartException;
import io.backstep.saga.serialization.Json;
import io.backstep.saga.serialization.Kept;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.serialization.Payloads;
import io.backstep.saga.serialization.StateCodec;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.Transition;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Parent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes sagas that are to be started. */
final class NewSagas {
    private final Payloads payloads;
    private final StateCodec codec;

    NewSagas(Payloads payloads, StateCodec codec) {
        this.payloads = payloads;
        this.codec = codec;
    }

    /**
     * A saga that is to be started.
     *
     * @param instance what does not change of it
     * @param first its first state, and what follows
     * @param row to insert
     * @param hashes any of which its input may have been stored with
     */
    record NewSaga(Instance instance, Transition first, NewInstance row, List<String> hashes) {}

    /** What is said of an input in messages. */
    static String inputOf(Registered registered) {
        return "the input of " + registered.definition();
    }

    /**
     * Makes one.
     *
     * @param registered its definition
     * @param input its input
     * @param id its id
     * @param key its business key, or null
     * @param deadline counted from its creation, or null
     * @param begin how long from its creation until it begins
     * @param lease whose it is, if it calls somebody at once; null for nobody's
     * @param parent for whom it is started, or null
     * @throws SagaStartException {@code SAGA-START-009} or {@code SAGA-START-013} when the input is not one of it
     * @throws io.backstep.saga.SagaSerializationException when the input cannot be written, or encoded
     */
    NewSaga of(
            Registered registered,
            @Nullable Object input,
            UUID id,
            @Nullable String key,
            @Nullable Duration deadline,
            Duration begin,
            @Nullable Lease lease,
            @Nullable Parent parent) {
        Kept kept = kept(registered, input);
        Transition first = registered.machine().start(deadline, begin);
        boolean calls = !first.calls().isEmpty();
        List<String> hashes = payloads.hashes(kept.json());
        NewInstance row = new NewInstance(
                id,
                registered.row(),
                key,
                hashes.get(0),
                first.state().status(),
                codec.write(registered.definition(), first.state()),
                payloads.encode(PayloadField.input(id), kept.json()),
                Json.FORMAT,
                first.state().deadline(),
                calls ? lease : null,
                calls ? Duration.ZERO : dueIn(registered, first.state()),
                parent);
        Object copy = kept.copy();
        if (copy == null) {
            throw new SagaStartException("SAGA-START-009", inputOf(registered) + " is written as null");
        }
        return new NewSaga(new Instance(id, key, parent, registered, copy, Map.of(), Map.of()), first, row, hashes);
    }

    private Kept kept(Registered registered, @Nullable Object input) {
        String what = inputOf(registered);
        Json json = payloads.json();
        if (input == null) {
            throw new SagaStartException("SAGA-START-009", what + " is null");
        }
        Type inputType = registered.definition().type().inputType();
        if (!json.isA(inputType, input)) {
            throw new SagaStartException(
                    "SAGA-START-013",
                    what + " is a " + input.getClass().getName() + "; allowed is a " + inputType.getTypeName());
        }
        return json.keep(what, input, inputType);
    }

    /** Of one that waits first. */
    private static Duration dueIn(Registered registered, SagaState state) {
        Duration at = registered.machine().wakeAt(state);
        return at == null ? Holds.RECHECK : at;
    }
}
