package io.backstep.saga.examples.order.participant;

import io.backstep.saga.examples.order.participant.PaymentEntry.Status;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
    @Nullable
    ResponseEntity<PaymentState> charge(
            @RequestHeader(KEY) String key, @RequestBody Charge charge, HttpServletResponse response)
            throws IOException {
        Fault fault = TestCards.onCharge(charge.card(), faults.of(Faults.Line.PAYMENTS));
        faults.before(fault);
        PaymentState state =
                settled(() -> ledger.charge(key, charge.card(), charge.amount(), fault == Fault.DECLINE));
        return answer(fault, state, state.status() == Status.CHARGED, response);
    }

    @PostMapping("/refunds")
    @Nullable
    ResponseEntity<PaymentState> refund(@RequestHeader(KEY) String key, HttpServletResponse response)
            throws IOException {
        Fault fault = TestCards.onRefund(ledger.cardOf(key).orElse(null), faults.of(Faults.Line.REFUNDS));
        faults.before(fault == Fault.DECLINE ? Fault.FAIL : fault);
        return answer(fault, settled(() -> ledger.refund(key)), true, response);
    }

    @GetMapping("/{key}")
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

    private static @Nullable ResponseEntity<PaymentState> answer(
            Fault fault, PaymentState state, boolean yes, HttpServletResponse response) throws IOException {
        if (LostReply.wanted(fault, state.first())) {
            LostReply.on(response);
            return null;
        }
        return ResponseEntity.status(yes ? HttpStatus.OK : HttpStatus.UNPROCESSABLE_CONTENT)
                .body(state);
    }
}
