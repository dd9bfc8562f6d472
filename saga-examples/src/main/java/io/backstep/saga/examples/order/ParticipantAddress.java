package io.backstep.saga.examples.order;

import java.net.URI;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Where payments and mail are. They live in this very process, so that there is one thing to start, but are only reached over
 * HTTP. The port is looked up at each call, because it may be chosen when the server starts.
 */
@Component
class ParticipantAddress {
    private final Environment environment;

    ParticipantAddress(Environment environment) {
        this.environment = environment;
    }

    URI of(String path) {
        String port = environment.getProperty("local.server.port");
        if (port == null) {
            throw new IllegalStateException("the HTTP server is not up yet");
        }
        return URI.create("http://localhost:" + port + path);
    }
}
