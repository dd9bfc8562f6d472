package io.backstep.saga.spring.http;

import io.backstep.saga.SagaRequestException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Lets the methods of controllers have a {@link SagaCall}. A request without a good one is answered 400, with a problem that has a code. */
final class SagaCallParameter implements HandlerMethodArgumentResolver, HandlerExceptionResolver, WebMvcConfigurer {
    private static final List<String> HEADERS =
            List.of(SagaHeaders.KEY, SagaHeaders.ID, SagaHeaders.EPOCH, SagaHeaders.REMAINING);

    /** Only ours: what an application throws is for its own handlers. */
    private static final class BadCall extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Refusal refusal;

        BadCall(SagaRequestException cause) {
            super(cause);
            this.refusal = Refusal.of(400, cause.code(), String.valueOf(cause.getMessage()));
        }
    }

    @Override
    public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(this);
    }

    @Override
    public void extendHandlerExceptionResolvers(List<HandlerExceptionResolver> resolvers) {
        resolvers.add(0, this);
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return parameter.getParameterType() == SagaCall.class;
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders) {
        try {
            HEADERS.forEach(header -> requireOne(header, request.getHeaderValues(header)));
            return SagaCall.read(request::getHeader)
                    .orElseThrow(() -> refused(SagaHeaders.KEY, "is missing; this is for steps of sagas"));
        } catch (SagaRequestException e) {
            throw new BadCall(e);
        }
    }

    private static void requireOne(String header, String @Nullable [] values) {
        if (values != null && values.length > 1) {
            throw refused(header, "is there " + values.length + " times");
        }
    }

    private static SagaRequestException refused(String header, String why) {
        return new SagaRequestException("SAGA-REQ-001", header, header + " " + why);
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception thrown) {
        BadCall bad = Stream.iterate((Throwable) thrown, cause -> cause != null, Throwable::getCause)
                .filter(BadCall.class::isInstance)
                .map(BadCall.class::cast)
                .findFirst()
                .orElse(null);
        if (bad == null) {
            return null;
        }
        try {
            bad.refusal.send(response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ModelAndView();
    }
}
