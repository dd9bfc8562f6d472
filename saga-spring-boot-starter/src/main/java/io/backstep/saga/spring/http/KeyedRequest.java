package io.backstep.saga.spring.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.util.HexFormat;

/** A request under a key: its body was read already, and it is answered before its thread leaves it. */
final class KeyedRequest extends HttpServletRequestWrapper {
    private final byte[] body;

    KeyedRequest(HttpServletRequest request, byte[] body) {
        super(request);
        this.body = body;
    }

    /** Its key and whose it is, in a length that every store has room for. */
    String key(String application, String key) {
        Principal user = getUserPrincipal();
        String name = user == null ? "" : user.getName();
        String all = application.length() + ":" + application + name.length() + ":" + name + key;
        return "http:" + hash(all.getBytes(StandardCharsets.UTF_8));
    }

    /** What is asked for; other than that it is another request. */
    String said() {
        return getMethod() + " " + getRequestURI() + "?" + getQueryString() + " " + getContentType() + " " + hash(body);
    }

    private static String hash(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /** Nobody would know the answer when the chain returns. */
    @Override
    public boolean isAsyncSupported() {
        return false;
    }

    @Override
    public AsyncContext startAsync() {
        throw new IllegalStateException("a request with an Idempotency-Key cannot be answered asynchronously");
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return startAsync();
    }

    @Override
    public BufferedReader getReader() {
        String encoding = getCharacterEncoding();
        Charset charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
        return new BufferedReader(new InputStreamReader(new ByteArrayInputStream(body), charset));
    }

    @Override
    public ServletInputStream getInputStream() {
        ByteArrayInputStream bytes = new ByteArrayInputStream(body);
        return new ServletInputStream() {
            @Override
            public boolean isFinished() {
                return bytes.available() == 0;
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setReadListener(ReadListener listener) {
                throw new IllegalStateException("the body was read already");
            }

            @Override
            public int read() {
                return bytes.read();
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                return bytes.read(into, from, length);
            }
        };
    }
}
