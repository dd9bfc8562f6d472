package io.backstep.saga.test.exploration;

import io.backstep.saga.definition.SagaDefinition;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Sagas with steps side by side. */
final class Branches {
    private Branches() {}

    static Map<String, SagaDefinition<String>> all() {
        Map<String, SagaDefinition<String>> all = new TreeMap<>();
        all.put("c || c", of("cc", Map.of("c1", List.of())));
        all.put("c || t, p", of("ctp", Map.of("t1", List.of(), "p2", List.of("c0", "t1"))));
        all.put("c || c, q", of("ccq", Map.of("c1", List.of(), "q2", List.of("c0", "c1"))));
        all.put("c, c || c", of("ccc", Map.of("c1", List.of("c0"), "c2", List.of("c0"))));
        all.put("c || b, p", of("cbp", Map.of("b1", List.of(), "p2", List.of("c0", "b1"))));
        all.put("p, r || r", of("prr", Map.of("r1", List.of("p0"), "r2", List.of("p0"))));
        all.put("p || b", of("pb", Map.of("b1", List.of())));
        all.put("c || n strict", of("cn!", Map.of("n1", List.of())));
        all.put("c || c strict", of("cc!", Map.of("c1", List.of())));
        all.put("c || c, c after one", of("cccp", Map.of("c1", List.of(), "c2", List.of("c0"))));
        all.put("t || t, p", of("ttp", Map.of("t1", List.of())));
        all.put("C || c, p", of("Ccp", Map.of("c1", List.of())));
        all.put("C || T, c", of("CTc", Map.of("T1", List.of())));
        all.put("p, R || B", of("pRB", Map.of("R1", List.of("p0"), "B2", List.of("p0"))));
        all.put("c || s, p", of("csp", Map.of("s1", List.of(), "p2", List.of("c0", "s1"))));
        all.put("s || d, c", of("sdc", Map.of("d1", List.of(), "c2", List.of("s0", "d1"))));
        all.put("p, s || r", of("psr", Map.of("s1", List.of("p0"), "r2", List.of("p0"))));
        children(all);
        return all;
    }

    private static void children(Map<String, SagaDefinition<String>> all) {
        all.put("c || k", of("ck", Map.of("k1", List.of())));
        all.put("k || k, p", of("kkp", Map.of("k1", List.of(), "p2", List.of("k0", "k1"))));
        all.put("k, c || m", of("kcm", Map.of("c1", List.of("k0"), "m2", List.of("k0"))));
        all.put("s || k, c", of("skc", Map.of("k1", List.of(), "c2", List.of("s0", "k1"))));
        all.put("p, w || r", of("pwr", Map.of("w1", List.of("p0"), "r2", List.of("p0"))));
        all.put("v || b", of("vb", Map.of("b1", List.of())));
        all.put("k || c strict", of("kc!", Map.of("c1", List.of())));
    }

    private static SagaDefinition<String> of(String letters, Map<String, List<String>> after) {
        return Shape.of(letters, after);
    }
}
