package io.backstep.saga.spring.admin;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sends exactly what it is told to: no client in between puts an address in order. */
final class RawHttp {
    private static final int PATIENCE_MILLIS = 60_000;
    private static final JsonMapper JSON = new JsonMapper();

    private RawHttp() {}

    record Answer(int status, Map<String, List<String>> headers, String body) {
        JsonNode json() {
            return JSON.readTree(body);
        }

        String header(String name) {
            return String.join(", ", headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()));
        }

        String code() {
            return header("Content-Type").startsWith("application/problem+json")
                    ? json().path("code").asString("")
                    : "";
        }

        List<String> allowed() {
            return json().path("allowed").valueStream().map(JsonNode::asString).toList();
        }
    }

    static Answer send(int port, String method, String target, List<String> headers, byte[] body) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            List<String> lines = new ArrayList<>(List.of(method + " " + target + " HTTP/1.1", "Connection: close"));
            if (headers.stream().noneMatch(header -> header.startsWith("Host:"))) {
                lines.add("Host: localhost:" + port);
            }
            lines.addAll(headers);
            if (body.length > 0 && headers.stream().noneMatch(header -> header.startsWith("Content-Length"))) {
                lines.add("Content-Length: " + body.length);
            }
            OutputStream out = socket.getOutputStream();
            out.write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            out.write(body);
            out.flush();
            return answer(readAll(socket));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A server that refuses a body closes the connection while it is being sent. */
    private static byte[] readAll(Socket socket) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        try {
            for (int n = socket.getInputStream().read(part);
                    n >= 0;
                    n = socket.getInputStream().read(part)) {
                all.write(part, 0, n);
            }
        } catch (SocketException e) {
            if (all.size() == 0) {
                throw e;
            }
        }
        return all.toByteArray();
    }

    private static Answer answer(byte[] all) {
        String text = new String(all, StandardCharsets.UTF_8);
        int end = text.indexOf("\r\n\r\n");
        List<String> head = text.substring(0, end).lines().toList();
        Map<String, List<String>> headers = head.stream()
                .skip(1)
                .collect(Collectors.groupingBy(
                        line -> line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT),
                        TreeMap::new,
                        Collectors.mapping(
                                line -> line.substring(line.indexOf(':') + 1).trim(), Collectors.toList())));
        return new Answer(Integer.parseInt(head.get(0).split(" ")[1]), headers, text.substring(end + 4));
    }
}
