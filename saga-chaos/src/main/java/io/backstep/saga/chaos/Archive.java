package io.backstep.saga.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The classes of a node in one file, so that the next JVMs start in half the time. Only with a class path of jars. */
final class Archive {
    private Archive() {}

    static List<String> flags(NodeOptions options) throws IOException, InterruptedException {
        boolean jars =
                Stream.of(System.getProperty("java.class.path").split(":")).allMatch(path -> path.endsWith(".jar"));
        Path file = Path.of(options.text("folder"), "node.jsa");
        if (jars) {
            NodeOptions first = options.with("node", "n0").with("file", "n0-0");
            NodeProcess node =
                    NodeProcess.start(Node.class, first, List.of("-XX:ArchiveClassesAtExit=" + file), Map.of());
            node.await("READY", 60);
            for (String shape : Shapes.ALL) {
                node.tell("start " + shape + " warm-" + shape);
                node.await("STARTED", 60);
            }
            Thread.sleep(2000);
            node.terminate();
            node.awaitEnd(60);
        }
        return Files.exists(file) ? List.of("-XX:SharedArchiveFile=" + file) : List.of();
    }
}
