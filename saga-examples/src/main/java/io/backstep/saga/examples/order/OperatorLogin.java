package io.backstep.saga.examples.order;

import java.security.SecureRandom;
import java.util.Base64;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * The operator's password: another one at each start, so that none is known to everybody who has read this. Printed, because this is
 * an example; a service of your own takes its users from where they are.
 */
@Component
class OperatorLogin {
    static final String USER = "operator";
    private static final int BYTES = 18;

    private final Environment environment;
    private final String password = random();

    OperatorLogin(Environment environment) {
        this.environment = environment;
    }

    String password() {
        return password;
    }

    /** After the demo, so that it stands at the end. */
    @EventListener(ApplicationReadyEvent.class)
    @Order(2)
    void show() {
        System.out.printf("""
                == For operators, with a password that is good until this process ends:

                  what is parked: curl -u %s:%s 'localhost:%s/admin/sagas?status=FAILED'
                %n""", USER, password, environment.getProperty("local.server.port", "8080"));
    }

    private static String random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
