package io.backstep.saga.test.exploration;

/** The contract of a saga, as rules on one transition; a state is what its transitions made of it. */
final class Oracle {
    private Oracle() {}

    static void check(Happening h, Machine machine, Findings out) {
        StatusRules.check(h, out);
        CallRules.check(h, out);
        TurnRules.check(h, out);
        OrderRules.check(h, machine, out);
        ParkRules.check(h, out);
        EndRules.check(h, out);
        ProgressRules.check(h, machine, out);
        FactRules.check(h, out);
        WaitRules.check(h, out);
        ChildRules.check(h, out);
    }
}
