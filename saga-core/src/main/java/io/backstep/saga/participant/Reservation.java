package io.backstep.saga.participant;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is held for somebody until it is confirmed, cancelled or expired.
 *
 * @param id under which it is held, 1 to 200 characters
 * @param items how much of each item, sorted by item, more than zero each
 */
public record Reservation(String id, Map<String, Long> items) {
    /** Copies the items, sorted: whoever locks stock does so in this order. */
    public Reservation {
        SortedMap<String, Long> sorted = new TreeMap<>(items);
        items = Collections.unmodifiableMap(sorted);
    }
}
