package io.backstep.saga.chaos;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file of lines that are on the disk when {@link #add} returns. Safe for use by many threads. */
public final class Notes implements AutoCloseable {
    private final FileChannel file;

    private Notes(FileChannel file) {
        this.file = file;
    }

    /**
     * Opens it, at its end.
     *
     * @param path where
     * @return the notes
     * @throws IOException when it cannot be opened
     */
    public static Notes at(Path path) throws IOException {
        return new Notes(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    /**
     * Adds a line.
     *
     * @param line without line ends
     * @throws IOException when it may not be on the disk
     */
    public synchronized void add(String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
