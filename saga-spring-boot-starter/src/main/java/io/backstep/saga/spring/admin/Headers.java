package io.backstep.saga.spring.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/** What the headers of a request say. */
final class Headers {
    private static final MimeType PROBLEM = new MimeType("application", "problem+json");

    private Headers() {}

    /** Refuses whoever does not want JSON. */
    static void checkAccept(HttpServletRequest request) {
        List<String> accepted = Collections.list(request.getHeaders("Accept"));
        if (!accepted.isEmpty() && accepted.stream().noneMatch(Headers::takesJson)) {
            throw new RefusedException(
                    406, "SAGA-HTTP-406", "the answer is application/json; Accept does not allow that");
        }
    }

    private static boolean takesJson(String accepted) {
        try {
            return accepted.isBlank()
                    || MimeTypeUtils.parseMimeTypes(accepted).stream()
                            .filter(Headers::isWanted)
                            .anyMatch(type -> type.includes(MimeTypeUtils.APPLICATION_JSON) || type.includes(PROBLEM));
        } catch (InvalidMimeTypeException e) {
            return false;
        }
    }

    private static boolean isWanted(MimeType type) {
        String quality = type.getParameter("q");
        return quality == null || !quality.matches("0(\\.0*)?");
    }

    /** Refuses a body that is not plain JSON in UTF-8. */
    static void checkContent(HttpServletRequest request) {
        List<String> encodings = Collections.list(request.getHeaders("Content-Encoding"));
        if (!encodings.stream()
                .allMatch(encoding -> encoding.toLowerCase(Locale.ROOT).equals("identity"))) {
            throw unsupported("Content-Encoding is not supported; send the body as it is");
        }
        if (!isJson(request.getContentType())) {
            throw unsupported("Content-Type must be application/json, in UTF-8");
        }
    }

    private static boolean isJson(@Nullable String type) {
        try {
            MimeType content = type == null ? MimeTypeUtils.ALL : MimeTypeUtils.parseMimeType(type);
            return content.equalsTypeAndSubtype(MimeTypeUtils.APPLICATION_JSON)
                    && (content.getCharset() == null || content.getCharset().equals(StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static RefusedException unsupported(String detail) {
        return new RefusedException(415, "SAGA-HTTP-415", detail);
    }

    /** The only value of a header, or null. */
    static @Nullable String single(HttpServletRequest request, String name) {
        List<String> values = Collections.list(request.getHeaders(name));
        if (values.size() > 1) {
            throw RefusedException.badInput(
                    "SAGA-REQ-004", name, name + " stands there " + values.size() + " times; once is allowed");
        }
        return values.isEmpty() ? null : values.get(0);
    }
}
