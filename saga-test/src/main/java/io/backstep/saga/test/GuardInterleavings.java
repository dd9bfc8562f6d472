package io.backstep.saga.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Two actions, two compensations and a confirmation of one operation, each with a beginning and an end that are up to us, in every order, each
 * committed or rolled back, in a transaction of the guard's or the caller's, and a purge by turns before each of them, which takes what is older
 * than the retention and nothing else.
 */
final class GuardInterleavings {
    /** All orders of the ten beginnings and ends; each is run before one is run again with other outcomes of the five. */
    static final int ORDERS = 113_400;

    private static final int OUTCOMES = 1 << GuardCourse.CALLS;

    private static final int AT_ONCE = 6;
    private static final int AT_A_TIME = 240;
    /** Prime to {@link #ORDERS}: fewer than all are spread over all. */
    private static final int STRIDE = 7919;

    private final GuardContract contract;
    private final List<List<Integer>> orders = new ArrayList<>();

    GuardInterleavings(GuardContract contract) {
        this.contract = contract;
        order(new ArrayList<>(), new int[GuardCourse.CALLS]);
    }

    /** Each call stands twice in an order: for its beginning, and for its end. */
    private void order(List<Integer> soFar, int[] times) {
        if (soFar.size() == 2 * GuardCourse.CALLS) {
            orders.add(List.copyOf(soFar));
            return;
        }
        for (int call = 0; call < GuardCourse.CALLS; call++) {
            if (times[call] < 2) {
                times[call]++;
                soFar.add(call);
                order(soFar, times);
                soFar.remove(soFar.size() - 1);
                times[call]--;
            }
        }
    }

    /**
     * What came of them.
     *
     * @param run how many were run
     * @param answers how often each answer was given
     * @param wrong what was wrong
     */
    record Summary(int run, Map<String, Integer> answers, List<String> wrong) {
        @Override
        public String toString() {
            return run + " interleavings, " + wrong.size() + " wrong; answers " + answers;
        }
    }

    Summary run(int many) {
        Map<String, Integer> answers = new TreeMap<>();
        List<String> wrong = new ArrayList<>();
        int run = 0;
        while (run < many) {
            int[] next = IntStream.range(run, Math.min(run + AT_A_TIME, many)).toArray();
            for (Summary part : Together.run(AT_ONCE, worker -> part(worker, next))) {
                part.answers().forEach((answer, times) -> answers.merge(answer, times, Integer::sum));
                wrong.addAll(part.wrong());
                run += part.run();
            }
        }
        return new Summary(run, answers, wrong);
    }

    private Summary part(int worker, int[] some) {
        Map<String, Integer> answers = new TreeMap<>();
        List<String> wrong = new ArrayList<>();
        int[] mine = IntStream.of(some).filter(i -> i % AT_ONCE == worker).toArray();
        for (int i : mine) {
            List<Integer> order = orders.get((int) ((long) i * STRIDE % ORDERS));
            int commits = (13 * i + i / ORDERS) % OUTCOMES;
            GuardCourse course = new GuardCourse(contract, order, i % order.size(), commits, i / OUTCOMES);
            wrong.addAll(course.run());
            course.answers().forEach(answer -> answers.merge(answer, 1, Integer::sum));
        }
        return new Summary(mine.length, answers, wrong);
    }
}
