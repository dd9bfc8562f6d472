package io.backstep.saga.examples.order;

import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.examples.order.inventory.Inventory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A saga's definition is a bean; that is all there is to configure. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ExampleProperties.class)
class OrderConfiguration {
    @Bean
    SagaDefinition<PlaceOrder> placeOrder(
            Orders orders, Inventory inventory, Payments payments, Mail mail, ExampleProperties settings) {
        Retry undo = Retry.exponential(settings.undoDelay()).maxAttempts(settings.undoAttempts());
        return PlaceOrderSaga.definition(orders, inventory, payments, mail, undo);
    }
}
