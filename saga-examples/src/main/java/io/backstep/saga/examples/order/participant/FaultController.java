package io.backstep.saga.examples.order.participant;

import java.util.Locale;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The switches: {@code payments}, {@code refunds} and {@code mail}. */
@RestController
class FaultController {
    private final Faults faults;

    FaultController(Faults faults) {
        this.faults = faults;
    }

    /**
     * The position of a switch.
     *
     * @param fault what is done wrong
     */
    record Mode(Fault fault) {}

    @GetMapping("/participants/{line}/mode")
    Mode mode(@PathVariable String line) {
        return new Mode(faults.of(named(line)));
    }

    @PutMapping("/participants/{line}/mode")
    Mode change(@PathVariable String line, @RequestBody Mode mode) {
        faults.set(named(line), mode.fault());
        return mode;
    }

    private static Faults.Line named(String line) {
        for (Faults.Line known : Faults.Line.values()) {
            if (known.name().toLowerCase(Locale.ROOT).equals(line)) {
                return known;
            }
        }
        throw new ResponseStatusException(HttpStatus.NOT_FOUND, "no such switch; there are payments, refunds, mail");
    }
}
