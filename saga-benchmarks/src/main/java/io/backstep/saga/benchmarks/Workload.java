package io.backstep.saga.benchmarks;

/**
 * A workload at one number of sagas in flight.
 *
 * @param name as in docs/benchmarks.md: W1, W2, W3, W5, W6, KB1, KB64, TX, SLOW or STAY
 * @param kind what its sagas do
 * @param bytes how many bytes of JSON the input of each has, about
 * @param full whether the database is full of finished sagas
 * @param inFlight how many sagas are under way at any time
 */
record Workload(String name, Kind kind, int bytes, boolean full, int inFlight) {
    private static final int ORDER = 200;

    /**
     * Reads an option.
     *
     * @param text such as {@code W1:256}
     * @return the workload
     */
    static Workload of(String text) {
        String[] parts = text.split(":", 2);
        int inFlight = Integer.parseInt(parts.length == 2 ? parts[1] : parts[0].equals("W3") ? "1" : "64");
        return switch (parts[0]) {
            case "W1", "W3", "W6" -> new Workload(parts[0], Kind.HAPPY, ORDER, false, inFlight);
            case "W2" -> new Workload(parts[0], Kind.REJECTED, ORDER, false, inFlight);
            case "W5" -> new Workload(parts[0], Kind.HAPPY, ORDER, true, inFlight);
            case "KB1" -> new Workload(parts[0], Kind.HAPPY, 1 << 10, false, inFlight);
            case "KB64" -> new Workload(parts[0], Kind.HAPPY, 1 << 16, false, inFlight);
            case "TX" -> new Workload(parts[0], Kind.TRANSACTIONAL, ORDER, false, inFlight);
            case "SLOW" -> new Workload(parts[0], Kind.SLOW, ORDER, false, inFlight);
            case "STAY" -> new Workload(parts[0], Kind.STAYING, ORDER, false, inFlight);
            default -> throw new IllegalArgumentException(text + " is no workload");
        };
    }

    /** Whether it is the time until a second JVM has ended what a killed one has left, and no window. */
    boolean isTakeover() {
        return name.equals("W6");
    }

    @Override
    public String toString() {
        return name + ":" + inFlight;
    }
}
