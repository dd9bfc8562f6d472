package io.backstep.saga.benchmarks;

import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Makes orders that take about so many bytes as JSON, and that do not compress well. */
final class Orders implements Supplier<Order> {
    private static final int MOST = 1 << 16;
    private static final String NOISE = new Random(1)
            .ints(2 * MOST, 'A', 'z' + 1)
            .filter(Character::isLetter)
            .limit(MOST + MOST / 4)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();

    private final AtomicLong count = new AtomicLong();
    private final int padding;

    Orders(int bytes) {
        this.padding = Math.max(0, Math.min(bytes, MOST) - 200);
    }

    @Override
    public Order get() {
        Order order = Order.named("order-" + count.incrementAndGet());
        if (padding == 0) {
            return order;
        }
        int from = ThreadLocalRandom.current().nextInt(NOISE.length() - padding);
        return new Order(
                order.reference(),
                order.customer(),
                order.sku(),
                order.quantity(),
                order.amount(),
                order.address() + NOISE.substring(from, from + padding));
    }
}
