package io.backstep.saga.test;

import io.backstep.saga.Phase;
import io.backstep.saga.definition.Confirming;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.StepKind;
import java.util.ArrayList;
import java.util.List;

/**
 * What goes wrong in a run besides the crash: nothing, or one step.
 *
 * @param name for people
 * @param faults what goes wrong
 * @param mayPark whether the saga may end up parked: nobody can undo a pivot, or what comes after
 */
record Course(String name, StepScript faults, boolean mayPark) {
    /** More attempts than this nobody waits for, even in virtual time. */
    private static final int MANY_ATTEMPTS = 20;

    private static final int FEW_ATTEMPTS = 2;

    static Course clean() {
        return new Course("nothing else goes wrong", new StepScript(), false);
    }

    /**
     * One without faults, then for each step one in which it is rejected, and one in which its replies are lost; for one with a probe also
     * those in which its calls do not arrive in time, and in which the probe says nothing of lost replies, for some time or ever; for one
     * with a confirm one in which the confirm's replies are lost.
     */
    static List<Course> of(SagaDefinition<?> definition) {
        List<Course> courses = new ArrayList<>();
        courses.add(clean());
        for (StepDefinition step : definition.steps()) {
            courses.add(of(step, "is rejected", Integer.MAX_VALUE, StepFault.rejects("INJECTED")));
            int attempts = step.retry().attempts();
            boolean limited = attempts > 0 && attempts <= MANY_ATTEMPTS;
            String loses = limited ? "loses all replies" : "loses replies";
            int lost = limited ? Integer.MAX_VALUE : FEW_ATTEMPTS;
            courses.add(of(step, loses, lost, StepFault.LOSES_REPLY));
            if (step.probe() != null) {
                // what is held up until then arrives after all
                courses.add(of(step, "is not reached in time", limited ? attempts : FEW_ATTEMPTS, StepFault.FAILS));
                courses.add(of(step, loses, lost, StepFault.LOSES_REPLY)
                        .and(step, " and its probe does not know yet", FEW_ATTEMPTS));
                courses.add(of(step, loses, lost, StepFault.LOSES_REPLY)
                        .and(step, " and its probe never knows", Integer.MAX_VALUE));
            }
            Confirming confirming = step.confirming();
            if (confirming != null) {
                StepScript script = new StepScript();
                script.add(step.name(), Phase.CONFIRM, FEW_ATTEMPTS, StepFault.LOSES_REPLY);
                boolean mayPark = confirming.retry().attempts() > 0;
                courses.add(new Course("the confirm of " + step.name() + " loses replies", script, mayPark));
            }
        }
        return courses;
    }

    private Course and(StepDefinition step, String what, int times) {
        faults.add(step.name(), Phase.PROBE, times, StepFault.DOES_NOT_KNOW);
        return new Course(name + what, faults, mayPark);
    }

    private static Course of(StepDefinition step, String what, int times, StepFault fault) {
        StepScript script = new StepScript();
        script.add(step.name(), Phase.ACTION, times, fault);
        boolean mayPark = step.kind() == StepKind.PIVOT || step.kind() == StepKind.RETRIABLE;
        return new Course(step.name() + " " + what, script, mayPark);
    }
}
