package io.backstep.saga.examples.order.participant;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The mail service, as the order service sees it. */
@RestController
@RequestMapping("/participants/mail")
class MailController {
    private final MailRepository mails;
    private final Faults faults;

    MailController(MailRepository mails, Faults faults) {
        this.mails = mails;
        this.faults = faults;
    }

    /**
     * Asks for a mail.
     *
     * @param recipient to whom
     * @param text what it says
     */
    record Letter(String recipient, String text) {}

    @PostMapping
    void send(@RequestHeader("Idempotency-Key") String key, @RequestBody Letter letter) {
        Fault fault = faults.of(Faults.Line.MAIL);
        faults.before(Faults.Line.MAIL, fault == Fault.DECLINE ? Fault.FAIL : fault);
        boolean first = !mails.existsById(key);
        mails.save(new MailEntry(key, letter.recipient(), letter.text()));
        faults.after(fault, first);
    }

    @GetMapping("/{key:(?!mode$).+}") // that is the switch
    ResponseEntity<String> find(@PathVariable String key) {
        return ResponseEntity.of(mails.findById(key).map(MailEntry::shown));
    }
}
