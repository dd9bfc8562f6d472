package io.backstep.saga.simulation;

/** Draws that depend on a seed and nothing else. Streams with other names are independent of each other. */
final class Dice {
    private long state;

    private Dice(long state) {
        this.state = state;
    }

    static Dice of(long seed, long... names) {
        long mixed = mix(seed + 0x9E3779B97F4A7C15L);
        for (long name : names) {
            mixed = mix(mixed ^ mix(name + 0x632BE59BD9B4E019L));
        }
        return new Dice(mixed);
    }

    private static long mix(long z) {
        long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
        return b ^ (b >>> 31);
    }

    long bits() {
        state += 0x9E3779B97F4A7C15L;
        return mix(state);
    }

    /** At least 0, less than 1. */
    double share() {
        return (bits() >>> 11) * 0x1.0p-53;
    }

    boolean chance(double probability) {
        return share() < probability;
    }

    /** At least 0, less than the bound. */
    int below(int bound) {
        return (int) (share() * bound);
    }

    /** Both included. */
    int between(int least, int most) {
        return least + below(most - least + 1);
    }

    long between(long least, long most) {
        return least + (long) (share() * (most - least + 1));
    }

    /** From the least to the most, small ones as likely as large ones by magnitude. */
    long magnitude(long least, long most) {
        return (long) (least * Math.pow((double) most / least, share()));
    }

    @SafeVarargs
    final <T> T one(T... of) {
        return of[below(of.length)];
    }
}
