package io.backstep.saga.simulation;

import io.backstep.saga.Phase;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.SagaData;
import io.backstep.saga.definition.StepContext;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The user code of all steps: what goes wrong in it and on the way to a participant. */
final class Calls implements Shapes.UserCode {
    private record Place(UUID sagaId, int step, Phase phase) {}

    /** The network fails, without a stack. */
    private static final class Broken extends IOException {
        private static final long serialVersionUID = 1L;

        private Broken(String message) {
            super(message);
        }

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    /** A condition may throw nothing that is checked. */
    private static final class NoAnswer extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    private final World world;
    private final Map<Place, Integer> numbers = new HashMap<>();

    Calls(World world) {
        this.world = world;
    }

    @Override
    public boolean asked(SagaData<Integer> data, StepShape step) {
        SimNode node = LoopThread.nodeHere();
        if (node == null) {
            throw new Violation("CALL", "a condition is asked on no node");
        }
        world.callRules.asks(node, data, step);
        int number = numbers.merge(new Place(data.sagaId(), step.origin(), Phase.CONDITION), 1, Integer::sum);
        Luck luck = new Luck(world.scenario.dice(21, data.input(), step.index(), number), node);
        world.trace.line(() -> node + " asks for " + step.name() + " of " + data.sagaId());
        CallRules.Running running = world.callRules.runs(node, data.sagaId(), step);
        try {
            luck.nap(Fault.STEP_SLOW, step.timeout());
            luck.crash(false);
            luck.failIf(Fault.STEP_FAILS);
            return step.holds(data.input());
        } catch (IOException | InterruptedException e) {
            world.tally.reach(Goal.CONDITION_FAILED);
            throw new NoAnswer();
        } finally {
            world.callRules.ends(running);
        }
    }

    @Override
    public Integer child(StepContext<Integer> context, StepShape step) throws Exception {
        SimNode node = LoopThread.nodeHere();
        if (node == null) {
            throw new Violation("CALL", "user code runs on no node");
        }
        world.callRules.begins(node, context, step, Phase.ACTION, Optional.empty());
        int number = numbers.merge(new Place(context.sagaId(), step.origin(), Phase.ACTION), 1, Integer::sum);
        Luck luck = new Luck(world.scenario.dice(22, context.input(), step.index(), number), node);
        world.trace.line(() -> node + " makes a child for " + step.name() + " of " + context.sagaId());
        CallRules.Suspect suspect = world.callRules.enters(node, context, step, Phase.ACTION);
        CallRules.Running running = world.callRules.runs(node, context.sagaId(), step);
        try {
            luck.nap(Fault.STEP_SLOW, step.timeout());
            luck.crash(false);
            luck.failIf(Fault.STEP_FAILS);
            luck.hang(step.timeout());
            return step.childInput(context.input());
        } catch (Exception e) {
            world.callRules.failed(node, context, step, Phase.ACTION);
            throw e;
        } finally {
            ended(node, context);
            world.callRules.leaves(suspect);
            world.callRules.ends(running);
        }
    }

    @Override
    public Integer call(StepContext<Integer> context, StepShape step, Phase phase, Optional<Integer> result)
            throws Exception {
        SimNode node = LoopThread.nodeHere();
        SagaPlan plan = world.scenario.plan(context.input());
        if (node == null || plan == null) {
            throw new Violation("CALL", "user code runs on no node, or for no saga");
        }
        world.callRules.begins(node, context, step, phase, result);
        int number = numbers.merge(new Place(context.sagaId(), step.origin(), phase), 1, Integer::sum);
        Dice dice = world.scenario.dice(20, context.input(), step.index(), phase.ordinal(), number);
        Luck luck = new Luck(dice, node);
        world.trace.mix(context.sagaId().getLeastSignificantBits() * 31 + step.index() * 7L + phase.ordinal());
        world.trace.line(() -> node + " calls " + phase + " of " + step.name() + " of " + context.sagaId() + " epoch "
                + context.epoch() + " attempt " + context.attempt());
        CallRules.Suspect suspect = world.callRules.enters(node, context, step, phase);
        CallRules.Running running =
                phase == Phase.COMPENSATION ? null : world.callRules.runs(node, context.sagaId(), step);
        try {
            return called(context, step, phase, plan, luck);
        } catch (Exception e) {
            world.callRules.failed(node, context, step, phase);
            throw e;
        } finally {
            world.checker.waits.returned(context, step, phase);
            ended(node, context);
            world.callRules.leaves(suspect);
            world.callRules.ends(running);
        }
    }

    @Override
    public Probe<Integer> probed(StepContext<Integer> context, StepShape step) throws Exception {
        SimNode node = LoopThread.nodeHere();
        if (node == null) {
            throw new Violation("CALL", "a probe is asked on no node");
        }
        UUID sagaId = context.sagaId();
        world.callRules.begins(node, context, step, Phase.PROBE, Optional.empty());
        int number = numbers.merge(new Place(sagaId, step.origin(), Phase.PROBE), 1, Integer::sum);
        Luck luck = new Luck(world.scenario.dice(22, context.input(), step.index(), number), node);
        world.trace.line(() -> node + " probes " + step.name() + " of " + sagaId + " attempt " + context.attempt());
        CallRules.Suspect suspect = world.callRules.enters(node, context, step, Phase.PROBE);
        CallRules.Running running = world.callRules.runs(node, sagaId, step);
        try {
            luck.nap(Fault.STEP_SLOW, step.timeout());
            luck.crash(false);
            luck.failIf(Fault.CALL_LOST);
            Probe<Integer> answer = answer(context, step, luck);
            luck.hang(step.timeout());
            luck.failIf(Fault.REPLY_LOST);
            return answer;
        } finally {
            ended(node, context);
            world.callRules.leaves(suspect);
            world.callRules.ends(running);
        }
    }

    private Probe<Integer> answer(StepContext<Integer> context, StepShape step, Luck luck) {
        if (luck.dice.chance(0.2) && !world.calm()) {
            return Probe.unknown();
        }
        if (!step.doubts().denies()) {
            boolean found = world.participant.effect(context.sagaId(), step).net > 0;
            return found ? Probe.tookEffect(value(context, step)) : Probe.unknown();
        }
        return world.participant.denies(context.sagaId(), step, world.loop.now())
                ? Probe.didNot()
                : Probe.tookEffect(value(context, step));
    }

    private void ended(SimNode node, StepContext<Integer> context) {
        Watched saga = world.checker.watched(context.sagaId());
        boolean refused = saga == null || !node.owner.equals(saga.row.owner());
        world.tally.reachIf(refused && node.alive(), Goal.LATE_REPLY_REFUSED);
    }

    private Integer called(StepContext<Integer> context, StepShape step, Phase phase, SagaPlan plan, Luck luck)
            throws Exception {
        boolean forward = phase == Phase.ACTION;
        long begun = world.loop.now();
        luck.nap(Fault.STEP_SLOW, step.timeout() / 2);
        luck.crash(forward && plan.killsAt() == step.index());
        luck.failIf(Fault.STEP_FAILS);
        failForEver(plan, context.input(), step, phase);
        if (step.local()) {
            local(context, step, forward, plan, luck);
        } else {
            remote(context, step, phase, plan, begun, luck);
        }
        luck.hang(step.timeout());
        luck.crash(false);
        luck.failIf(Fault.STEP_FAILS_AFTER);
        return value(context, step);
    }

    static Integer value(SagaData<Integer> context, StepShape step) {
        return step.child() == null ? context.input() * 100 + step.origin() : step.childInput(context.input()) * 100;
    }

    static Optional<Integer> resultOf(SagaData<Integer> context, StepShape step) {
        return context.findResult(Step.named(step.name(), Integer.class));
    }

    private void failForEver(SagaPlan plan, int input, StepShape step, Phase phase) throws IOException {
        StepShape.Confirm confirm = step.confirm();
        if (phase == Phase.CONFIRM && confirm != null) {
            boolean never = world.scenario.on(Fault.CONFIRM_FAILS)
                    && world.scenario.dice(23, input, step.index()).chance(0.15);
            if (never && confirm.attempts() > 0) {
                world.tally.fault(Fault.CONFIRM_FAILS);
                throw new Broken("fails for ever");
            }
            return;
        }
        boolean forward = phase == Phase.ACTION;
        int stuck = forward ? plan.stuckAt() : plan.undoStuckAt();
        boolean limited = !forward || step.attempts() > 0;
        if (stuck == step.index() && limited) {
            world.tally.fault(forward ? Fault.STEP_FAILS : Fault.UNDO_FAILS);
            throw new Broken("fails for ever");
        }
    }

    private void local(StepContext<Integer> context, StepShape step, boolean forward, SagaPlan plan, Luck luck)
            throws Exception {
        if (forward && plan.rejectedAt() == step.index()) {
            world.tally.fault(Fault.REJECTS);
            throw new Participant.No("no");
        }
        if (!forward) {
            luck.failIf(Fault.UNDO_FAILS);
        }
        SimTx transaction = world.database.transaction();
        if (transaction == null) {
            throw new Violation("G5", "the transactional step " + step.name() + " runs outside a transaction");
        }
        UUID sagaId = context.sagaId();
        transaction.effects.add(() -> world.participant.commit(sagaId, step, forward));
        luck.nap(Fault.STEP_SLOW, step.timeout() / 2);
    }

    private void remote(StepContext<Integer> context, StepShape step, Phase phase, SagaPlan plan, long begun, Luck luck)
            throws Exception {
        String key = context.idempotencyKey();
        UUID sagaId = context.sagaId();
        luck.failIf(Fault.CALL_LOST);
        if (luck.hits(Fault.CALL_LATE)) {
            arriveLater(sagaId, step, phase, key, begun, luck);
            throw new Broken("nobody knows where the request is");
        }
        switch (phase) {
            case COMPENSATION -> luck.failIf(Fault.UNDO_FAILS);
            case CONFIRM -> luck.failIf(Fault.CONFIRM_FAILS);
            default -> {}
        }
        if (phase == Phase.ACTION && plan.rejectedAt() == step.index() && says(sagaId, step)) {
            world.tally.fault(Fault.REJECTS);
            throw new Participant.No("no");
        }
        arrive(sagaId, step, phase, key, begun);
        if (step.tcc() && phase == Phase.ACTION) {
            perhapsExpires(sagaId, step, luck);
        }
        if (luck.hits(Fault.CALL_REPEATED)) {
            arriveLater(sagaId, step, phase, key, begun, luck);
        }
        luck.nap(Fault.STEP_SLOW, step.timeout());
        luck.failIf(Fault.REPLY_LOST);
    }

    /** Where a no is definite, it is one to all that came before, and only said when nothing was done. */
    private boolean says(UUID sagaId, StepShape step) {
        return !step.doubts().definite() || world.participant.denies(sagaId, step, world.loop.now());
    }

    private void arrive(UUID sagaId, StepShape step, Phase phase, String key, long begun) throws IOException {
        world.tcc.arrives(sagaId, step, phase);
        switch (phase) {
            case ACTION -> world.participant.act(sagaId, step, key, begun);
            case CONFIRM -> world.participant.confirm(sagaId, step);
            default -> world.participant.undo(sagaId, step);
        }
    }

    /** Whoever reserves it waits only so long for what becomes of it. */
    private void perhapsExpires(UUID sagaId, StepShape step, Luck luck) {
        Participant.Effect effect = world.participant.effect(sagaId, step);
        long after = luck.dice.magnitude(world.scenario.lease / 20, 8 * world.scenario.lease);
        if (luck.hits(Fault.RESERVATION_EXPIRES)) {
            world.loop.after(after, () -> world.participant.expire(effect));
        }
    }

    private void arriveLater(UUID sagaId, StepShape step, Phase phase, String key, long begun, Luck luck) {
        world.loop.after(luck.dice.magnitude(world.scenario.lease / 20, 5 * world.scenario.lease), () -> {
            try {
                world.trace.line(() -> "late: " + phase + " of " + step.name() + " of " + sagaId);
                arrive(sagaId, step, phase, key, begun);
            } catch (IOException | Participant.No refused) {
                world.trace.mix(0x61);
            }
        });
    }

    /** What befalls one call. */
    private final class Luck {
        final Dice dice;
        private final SimNode node;

        private Luck(Dice dice, SimNode node) {
            this.dice = dice;
            this.node = node;
        }

        boolean hits(Fault fault) {
            boolean hit = dice.chance(world.scenario.intensity(fault));
            if (hit && !world.calm()) {
                world.tally.fault(fault);
                return true;
            }
            return false;
        }

        void failIf(Fault fault) throws IOException {
            if (hits(fault)) {
                throw new Broken(fault.name());
            }
        }

        void nap(Fault fault, long most) throws InterruptedException {
            long time = dice.magnitude(Math.max(1, most / 100), most);
            if (hits(fault)) {
                sleep(time, dice.chance(0.5));
            }
        }

        void hang(long timeout) throws InterruptedException {
            long time = dice.magnitude(timeout, timeout * 8 + world.scenario.lease * 8);
            if (hits(Fault.STEP_HANGS)) {
                sleep(time, dice.chance(0.5));
            }
        }

        void crash(boolean surely) {
            if (hits(Fault.CRASH_IN_CALL) || (surely && !world.calm())) {
                world.trace.line(() -> node + " is killed in user code");
                world.trouble.kill(node);
                throw new Gone();
            }
        }

        private void sleep(long nanos, boolean polite) throws InterruptedException {
            long end = world.loop.now() + nanos;
            while (world.loop.now() < end) {
                Sleep.End woken = world.loop.sleep(end - world.loop.now());
                if (woken == Sleep.End.INTERRUPT && polite) {
                    throw new InterruptedException("interrupted");
                }
            }
            if (!node.alive()) {
                throw new Gone();
            }
        }
    }
}
