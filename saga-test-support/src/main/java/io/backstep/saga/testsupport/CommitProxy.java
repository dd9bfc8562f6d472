package io.backstep.saga.testsupport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands before a PostgreSQL on a port of its own and does what networks do: it cuts connections before a COMMIT reaches the server or
 * after the server has done it, cuts all, refuses, delays, and goes silent with the connections open. All calls are safe from any
 * thread. What a client commits without saying COMMIT (a single statement with autocommit on) it forwards like anything else.
 */
public final class CommitProxy implements AutoCloseable {
    /** What to do with a connection on which a COMMIT comes. */
    public enum Cut {
        /** The COMMIT never reaches the server. */
        BEFORE_COMMIT,
        /** The server answers the COMMIT, and the answer never reaches the client. */
        AFTER_COMMIT,
        /** Nothing. */
        NONE
    }

    /**
     * What it has done so far.
     *
     * @param connections connections that were forwarded
     * @param commits COMMITs that came
     * @param cutBefore connections cut before a COMMIT
     * @param cutAfter connections cut after a COMMIT was done
     * @param cutAtOnce connections cut by {@link #cutAll}
     * @param refused connections refused
     */
    public record Counts(long connections, long commits, long cutBefore, long cutAfter, long cutAtOnce, long refused) {}

    private final InetSocketAddress server;
    private final ServerSocket listener;
    private final Set<ProxyConnection> live = ConcurrentHashMap.newKeySet();
    private final Deque<Cut> plan = new ArrayDeque<>();
    private final Map<Integer, Cut> planOfBackend = new HashMap<>();
    private final Object gate = new Object();
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong commits = new AtomicLong();
    private final AtomicLong cutBefore = new AtomicLong();
    private final AtomicLong cutAfter = new AtomicLong();
    private final AtomicLong cutAtOnce = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private Random random = new Random(0);
    private double beforeRate;
    private double afterRate;
    private boolean silent;
    private volatile boolean refusing;
    private volatile boolean closed;
    private volatile Duration delay = Duration.ZERO;

    private CommitProxy(InetSocketAddress server, ServerSocket listener) {
        this.server = server;
        this.listener = listener;
    }

    /**
     * Starts one.
     *
     * @param host the server's
     * @param port the server's; it may be down, also for a while
     * @return the proxy, forwarding
     * @throws IOException without a free port
     */
    public static CommitProxy before(String host, int port) throws IOException {
        ServerSocket listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        CommitProxy proxy = new CommitProxy(new InetSocketAddress(host, port), listener);
        ProxyConnection.thread("proxy-accept", proxy::acceptAll).start();
        return proxy;
    }

    /**
     * Starts one.
     *
     * @param database where the server is
     * @return the proxy, forwarding
     * @throws IOException without a free port
     */
    public static CommitProxy before(TestPostgres.Db database) throws IOException {
        URI uri = uri(database);
        return before(uri.getHost(), uri.getPort());
    }

    /**
     * The same database, through this proxy.
     *
     * @param database of the server behind it
     * @return how to get there
     */
    public TestPostgres.Db through(TestPostgres.Db database) {
        URI uri = uri(database);
        String query = uri.getQuery() == null ? "" : "?" + uri.getRawQuery();
        return new TestPostgres.Db(
                "jdbc:postgresql://127.0.0.1:" + port() + uri.getPath() + query, database.user(), database.password());
    }

    private static URI uri(TestPostgres.Db database) {
        return URI.create(database.url().substring("jdbc:".length()));
    }

    /**
     * Where it listens, on the loopback address.
     *
     * @return the port
     */
    public int port() {
        return listener.getLocalPort();
    }

    /**
     * Plans what happens at the next COMMIT that has no plan yet, on whatever connection. Comes before the rates.
     *
     * @param cut what
     */
    public void next(Cut cut) {
        synchronized (plan) {
            plan.add(cut);
        }
    }

    /**
     * Plans what happens at the next COMMIT on one connection, before all other plans.
     *
     * @param backend the process id of its server side, which drivers know
     * @param cut what
     */
    public void next(int backend, Cut cut) {
        synchronized (plan) {
            planOfBackend.put(backend, cut);
        }
    }

    /** Forgets what was planned. */
    public void forgetPlan() {
        synchronized (plan) {
            plan.clear();
            planOfBackend.clear();
        }
    }

    /**
     * Cuts at random.
     *
     * @param before the share of COMMITs before which a connection is cut, 0 to 1
     * @param after the share after which it is cut, 0 to 1
     * @param seed of the draws
     */
    public void cutByRate(double before, double after, long seed) {
        synchronized (plan) {
            beforeRate = before;
            afterRate = after;
            random = new Random(seed);
        }
    }

    /**
     * Cuts every open connection.
     *
     * @return how many there were
     */
    public int cutAll() {
        int count = 0;
        for (ProxyConnection connection : live) {
            if (connection.cut(cutAtOnce)) {
                count++;
            }
        }
        return count;
    }

    /**
     * Whether new connections are reset at once. Open ones stay.
     *
     * @param yes from now on, until it is taken back
     */
    public void refuse(boolean yes) {
        refusing = yes;
    }

    /**
     * Delays all that is forwarded, in both directions.
     *
     * @param pause before each piece; zero for none
     */
    public void delay(Duration pause) {
        delay = pause;
    }

    /**
     * Whether nothing at all is forwarded: connections stay open, new ones are accepted, and nobody answers (half-open). Afterwards
     * what was sent meanwhile is forwarded.
     *
     * @param yes from now on, until it is taken back
     */
    public void silence(boolean yes) {
        synchronized (gate) {
            silent = yes;
            gate.notifyAll();
        }
    }

    /**
     * What it has done.
     *
     * @return since its start
     */
    public Counts counts() {
        return new Counts(
                connections.get(), commits.get(), cutBefore.get(), cutAfter.get(), cutAtOnce.get(), refused.get());
    }

    /** Cuts all connections and listens no more. */
    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        silence(false);
        live.forEach(connection -> connection.cut(cutAtOnce));
    }

    private void acceptAll() {
        while (!closed) {
            try {
                accepted(listener.accept());
            } catch (IOException e) {
                if (listener.isClosed()) {
                    return;
                }
            }
        }
    }

    private void accepted(Socket client) throws IOException {
        if (refusing) {
            refused.incrementAndGet();
            ProxyConnection.reset(client);
            return;
        }
        ProxyConnection connection = new ProxyConnection(this, client);
        live.add(connection);
        connections.incrementAndGet();
        connection.start(server);
        if (closed) {
            connection.cut(cutAtOnce);
        }
    }

    void ended(ProxyConnection connection) {
        live.remove(connection);
    }

    Cut atCommit(int backend) {
        commits.incrementAndGet();
        synchronized (plan) {
            Cut ofBackend = planOfBackend.remove(backend);
            Cut planned = ofBackend == null ? plan.poll() : ofBackend;
            if (planned != null) {
                return planned;
            }
            double draw = random.nextDouble();
            return draw < beforeRate ? Cut.BEFORE_COMMIT : draw < beforeRate + afterRate ? Cut.AFTER_COMMIT : Cut.NONE;
        }
    }

    AtomicLong cutBefore() {
        return cutBefore;
    }

    AtomicLong cutAfter() {
        return cutAfter;
    }

    /** Returns when something may be forwarded. */
    void pass() throws InterruptedException {
        Duration pause = delay;
        if (!pause.isZero()) {
            Thread.sleep(pause.toMillis(), pause.toNanosPart() % 1_000_000);
        }
        synchronized (gate) {
            while (silent && !closed) {
                gate.wait();
            }
        }
    }
}
