package io.backstep.saga.testsupport;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** A port of this machine for a server that is about to start. */
final class FreePort {
    private static final int FIRST = 15_000;
    private static final int LAST = 32_000;

    private FreePort() {}

    /** None that the system gives to clients: one of them, of any process, could hold it before the server does. */
    static int find() throws IOException {
        for (int tries = 0; tries < 1000; tries++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                continue;
            }
        }
        throw new IOException("no port is free between " + FIRST + " and " + LAST);
    }
}
