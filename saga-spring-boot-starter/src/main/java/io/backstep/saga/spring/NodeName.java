package io.backstep.saga.spring;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** How a node is called when nobody gave it a name. */
final class NodeName {
    private static final int LONGEST_HOST = 60;

    private NodeName() {}

    /**
     * The host name with four random characters, so that two nodes on one host can be told apart in logs.
     *
     * @return a name that the engine takes
     */
    static String make() {
        String suffix = String.format("%04x", ThreadLocalRandom.current().nextInt(0x10000));
        return allowed(host()) + "-" + suffix;
    }

    static String allowed(@Nullable String host) {
        String clean = host == null ? "" : host.replaceAll("[^A-Za-z0-9._-]", "");
        return clean.isEmpty() ? "node" : clean.substring(0, Math.min(LONGEST_HOST, clean.length()));
    }

    private static @Nullable String host() {
        String given = System.getenv("HOSTNAME"); // containers have it, and it costs no look-up
        if (given != null) {
            return given;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
