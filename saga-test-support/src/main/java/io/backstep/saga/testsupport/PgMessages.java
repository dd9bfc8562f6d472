package io.backstep.saga.testsupport;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@link CommitProxy} reads of PostgreSQL's protocol, version 3. */
final class PgMessages {
    static final int SSL_REQUEST = 80877103;
    static final int GSS_REQUEST = 80877104;

    private static final int LONGEST = 1 << 30;

    private PgMessages() {}

    /**
     * A message as it is on the wire.
     *
     * @param type its letter, or 0 for the first of a client, which has none
     * @param body what follows the length
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    record Message(char type, byte[] body) {
        static Message first(DataInputStream in) throws IOException {
            return new Message((char) 0, body(in));
        }

        /** Null at the end of the stream. */
        static @Nullable Message next(DataInputStream in) throws IOException {
            int type = in.read();
            return type < 0 ? null : new Message((char) type, body(in));
        }

        private static byte[] body(DataInputStream in) throws IOException {
            int length = in.readInt() - 4;
            if (length < 0 || length > LONGEST) {
                throw new IOException("not PostgreSQL's protocol: a message of " + length + " bytes");
            }
            byte[] body = in.readNBytes(length);
            if (body.length < length) {
                throw new EOFException("in the middle of a message");
            }
            return body;
        }

        void send(DataOutputStream out) throws IOException {
            if (type != 0) {
                out.writeByte(type);
            }
            out.writeInt(body.length + 4);
            out.write(body);
        }

        int code() {
            return body.length < 4 ? 0 : ByteBuffer.wrap(body).getInt();
        }

        /** The text from there up to its zero. */
        String text(int from) {
            int end = from;
            while (end < body.length && body[end] != 0) {
                end++;
            }
            return new String(
                    body, Math.min(from, body.length), end - Math.min(from, body.length), StandardCharsets.UTF_8);
        }

        /** Where the text after the one that begins there begins. */
        int after(int from) {
            int end = from;
            while (end < body.length && body[end] != 0) {
                end++;
            }
            return end + 1;
        }

        /** The server has done a COMMIT, or says that it has not. */
        boolean endsTransaction() {
            return type == 'E' || (type == 'C' && (text(0).equals("COMMIT") || text(0).equals("ROLLBACK")));
        }
    }

    /** Follows one client, and knows which of its messages is a COMMIT: as a text, unnamed, or prepared under a name. */
    static final class CommitFinder {
        private static final Pattern COMMIT =
                Pattern.compile("\\s*(commit|end)(\\s+(work|transaction))?\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

        private final Set<String> statements = new HashSet<>();
        private final Set<String> portals = new HashSet<>();

        boolean isCommit(Message message) {
            switch (message.type()) {
                case 'Q' -> {
                    return isCommit(message.text(0));
                }
                case 'P' -> put(statements, message.text(0), isCommit(message.text(message.after(0))));
                case 'B' -> put(portals, message.text(0), statements.contains(message.text(message.after(0))));
                case 'C' -> put(message.text(0).startsWith("S") ? statements : portals, message.text(1), false);
                case 'E' -> {
                    return portals.contains(message.text(0));
                }
                default -> {}
            }
            return false;
        }

        private static boolean isCommit(String sql) {
            return COMMIT.matcher(sql.toLowerCase(Locale.ROOT)).matches();
        }

        private static void put(Set<String> names, String name, boolean commit) {
            if (commit) {
                names.add(name);
            } else {
                names.remove(name);
            }
        }
    }
}
