package io.backstep.saga.testsupport;

import io.backstep.saga.testsupport.CommitProxy.Cut;
import io.backstep.saga.testsupport.PgMessages.CommitFinder;
import io.backstep.saga.testsupport.PgMessages.Message;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** One connection through {@link CommitProxy}: a thread for each direction. */
final class ProxyConnection {
    private final CommitProxy proxy;
    private final Socket client;
    private final Socket server = new Socket();
    private final AtomicBoolean over = new AtomicBoolean();

    /** A COMMIT was forwarded whose answer nobody is to see. */
    private volatile boolean answerIsLost;

    /** The process on the server's side, once it has said so. */
    private volatile int backend;

    ProxyConnection(CommitProxy proxy, Socket client) {
        this.proxy = proxy;
        this.client = client;
    }

    static Thread thread(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Closes with a reset, so that nobody takes it for an orderly end. */
    static void reset(Socket socket) {
        try (socket) {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // it was closed already
        }
    }

    void start(InetSocketAddress address) {
        thread(
                        "proxy-client",
                        () -> run(() -> {
                            server.connect(address, 10_000);
                            client.setTcpNoDelay(true);
                            server.setTcpNoDelay(true);
                            thread("proxy-server", () -> run(this::answers)).start();
                            requests();
                        }))
                .start();
    }

    /** True for the first who does it; counted before anybody can notice. */
    boolean cut(AtomicLong counter) {
        if (!over.compareAndSet(false, true)) {
            return false;
        }
        counter.incrementAndGet();
        proxy.ended(this);
        reset(client);
        reset(server);
        return true;
    }

    private interface Direction {
        void forward() throws IOException, InterruptedException;
    }

    private void run(Direction direction) {
        try {
            direction.forward();
        } catch (IOException e) {
            cut(new AtomicLong()); // one of the two is gone, and so is the other
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cut(new AtomicLong());
        }
    }

    private void requests() throws IOException, InterruptedException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(server.getOutputStream()));
        CommitFinder commits = new CommitFinder();
        for (Message message = afterEncryption(in); message != null; message = Message.next(in)) {
            if (commits.isCommit(message) && !passes()) {
                return;
            }
            forward(message, in, out);
        }
        server.shutdownOutput(); // an orderly end reaches the server as such; it ends the other direction
    }

    /** The first message that is meant for the server; encryption is declined. */
    private Message afterEncryption(DataInputStream in) throws IOException {
        Message first = Message.first(in);
        while (first.code() == PgMessages.SSL_REQUEST || first.code() == PgMessages.GSS_REQUEST) {
            client.getOutputStream().write('N');
            first = Message.first(in);
        }
        return first;
    }

    /** A COMMIT came: false when the connection is cut here. */
    private boolean passes() {
        Cut cut = proxy.atCommit(backend);
        if (cut == Cut.BEFORE_COMMIT) {
            cut(proxy.cutBefore());
            return false;
        }
        answerIsLost = cut == Cut.AFTER_COMMIT;
        return true;
    }

    private void answers() throws IOException, InterruptedException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(server.getInputStream()));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(client.getOutputStream()));
        for (Message message = Message.next(in); message != null; message = Message.next(in)) {
            if (message.type() == 'K') {
                backend = message.code();
            }
            if (!answerIsLost) {
                forward(message, in, out);
            } else if (message.endsTransaction()) {
                cut(proxy.cutAfter());
                return;
            }
        }
        throw new EOFException("the server has ended the connection");
    }

    private void forward(Message message, DataInputStream in, DataOutputStream out)
            throws IOException, InterruptedException {
        message.send(out);
        if (in.available() == 0) {
            proxy.pass();
            out.flush();
        }
    }
}
