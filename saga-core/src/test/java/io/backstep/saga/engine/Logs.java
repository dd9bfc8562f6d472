package io.backstep.saga.engine;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What the core logs while this is open, from INFO on. */
public final class Logs implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.backstep.saga");
    private final Level before = logger.getLevel();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    public Logs() {
        lines.start();
        logger.setAdditive(false);
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
    }

    List<String> of(Level level) {
        return lines.list.stream()
                .filter(line -> line.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    public List<String> warnings() {
        return lines.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** How many lines come with a stack trace. */
    long traces() {
        return lines.list.stream()
                .filter(line -> line.getThrowableProxy() != null)
                .count();
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
        logger.setLevel(before);
        logger.setAdditive(true);
    }
}
