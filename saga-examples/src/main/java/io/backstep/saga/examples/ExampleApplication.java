package io.backstep.saga.examples;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The order service: a saga of local and remote steps, with remote participants that can be told to fail. */
@SpringBootApplication
public class ExampleApplication {
    /**
     * Starts the service.
     *
     * @param args Spring Boot arguments
     */
    public static void main(String[] args) {
        SpringApplication.run(ExampleApplication.class, args);
    }
}
