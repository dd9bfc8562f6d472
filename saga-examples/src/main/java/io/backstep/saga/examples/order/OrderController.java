package io.backstep.saga.examples.order;

import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import jakarta.validation.Valid;
import java.net.URI;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Places and shows orders. */
@RestController
@RequestMapping("/orders")
class OrderController {
    private final OrderIntake intake;
    private final OrderViews views;
    private final SagaClient sagas;
    private final ExampleProperties settings;

    OrderController(OrderIntake intake, OrderViews views, SagaClient sagas, ExampleProperties settings) {
        this.intake = intake;
        this.views = views;
        this.sagas = sagas;
        this.settings = settings;
    }

    /** 201 when the saga has ended, however it did; else 202: look again at the address in Location. */
    @PostMapping
    ResponseEntity<OrderView> place(@Valid @RequestBody OrderRequest request) {
        UUID id = intake.place(request.reference(), request.order()).sagaId();
        SagaInstance saga = sagas.await(id, settings.answerWithin());
        return ResponseEntity.status(saga.ended() ? HttpStatus.CREATED : HttpStatus.ACCEPTED)
                .location(URI.create("/orders/" + id))
                .body(views.of(saga));
    }

    @GetMapping("/{id}")
    OrderView show(@PathVariable UUID id) {
        return views.find(id)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "there is no order " + id));
    }
}
