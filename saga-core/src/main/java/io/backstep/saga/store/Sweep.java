package io.backstep.saga.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a look through new mail has found.
 *
 * @param mail for the owner who looked, oldest first
 * @param putAside what this look, and no other, has put aside: its saga has ended, or is not known
 */
public record Sweep(List<Mail> mail, List<PutAside> putAside) {
    /**
     * Mail that nobody will get.
     *
     * @param mail the message
     * @param definitionId of its saga; null when there is no such saga
     */
    public record PutAside(Mail mail, @Nullable Integer definitionId) {}
}
