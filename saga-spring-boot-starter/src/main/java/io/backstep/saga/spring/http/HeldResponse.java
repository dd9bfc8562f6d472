package io.backstep.saga.spring.http;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** An answer that the client does not see before it was kept: its body, or the error that the container is to show. */
final class HeldResponse extends ContentCachingResponseWrapper {
    private final HttpServletResponse response;
    private boolean done;
    private boolean error;
    private boolean redirect;
    private @Nullable String message;

    HeldResponse(HttpServletResponse response) {
        super(response);
        this.response = response;
    }

    @Override
    public void sendError(int status) {
        sendError(status, null);
    }

    @Override
    public void sendError(int status, @Nullable String text) {
        resetBuffer();
        setStatus(status);
        error = true;
        message = text;
    }

    @Override
    public void sendRedirect(String location) {
        sendRedirect(location, SC_FOUND, true);
    }

    @Override
    public void sendRedirect(String location, int status, boolean clearBuffer) {
        if (clearBuffer) {
            resetBuffer();
        }
        setStatus(status);
        setHeader("Location", location);
        redirect = true;
    }

    @Override
    public boolean isCommitted() {
        return error || redirect || super.isCommitted();
    }

    boolean isError() {
        return error;
    }

    @Nullable
    String message() {
        return message;
    }

    /** The application has answered. */
    void done() {
        done = true;
    }

    boolean isDone() {
        return done;
    }

    /** Lets the client see it. */
    void give() throws IOException {
        if (error) {
            show(response, getStatus(), message);
        } else {
            copyBodyToResponse();
        }
    }

    /** Where another answer goes, instead of this one. */
    HttpServletResponse open() {
        return response;
    }

    static void show(HttpServletResponse response, int status, @Nullable String message) throws IOException {
        if (message == null) {
            response.sendError(status);
        } else {
            response.sendError(status, message);
        }
    }
}
