package io.backstep.saga.examples.order.participant;

import io.backstep.saga.examples.order.participant.PaymentEntry.Status;
import java.math.BigDecimal;
import java.util.function.Supplier;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The payment service, as the order service sees it. */
@RestController
@RequestMapping("/participants/payments")
class PaymentController {
    private static final String KEY = "Idempotency-Key";

    private final PaymentLedger ledger;
    private final Faults faults;

    PaymentController(PaymentLedger ledger, Faults faults) {
        this.ledger = ledger;
        this.faults = faults;
    }

    /**
     * Asks for money.
     *
     * @param card whose
     * @param amount how much
     */
    record Charge(String card, BigDecimal amount) {}

    @PostMapping
    ResponseEntity<PaymentState> charge(@RequestHeader(KEY) String key, @RequestBody Charge charge) {
        Fault fault = TestCards.onCharge(charge.card(), faults.of(Faults.Line.PAYMENTS));
        faults.before(Faults.Line.PAYMENTS, fault);
        PaymentState state = settled(() -> ledger.charge(key, charge.card(), charge.amount(), fault == Fault.DECLINE));
        faults.after(fault, state.first());
        return ResponseEntity.status(
                        state.status() == Status.CHARGED ? HttpStatus.OK : HttpStatus.UNPROCESSABLE_CONTENT)
                .body(state);
    }

    @PostMapping("/refunds")
    PaymentState refund(@RequestHeader(KEY) String key) {
        Fault fault = TestCards.onRefund(ledger.cardOf(key).orElse(null), faults.of(Faults.Line.REFUNDS));
        faults.before(Faults.Line.REFUNDS, fault == Fault.DECLINE ? Fault.FAIL : fault);
        PaymentState state = settled(() -> ledger.refund(key));
        faults.after(fault, state.first());
        return state;
    }

    @GetMapping("/{key:(?!mode$).+}") // that is the switch
    ResponseEntity<PaymentState> find(@PathVariable String key) {
        return ResponseEntity.of(ledger.find(key));
    }

    /** Of two calls that race for a new key the slower one fails on the primary key, and then finds the answer. */
    private static PaymentState settled(Supplier<PaymentState> call) {
        try {
            return call.get();
        } catch (DataIntegrityViolationException raced) {
            return call.get();
        }
    }
}
