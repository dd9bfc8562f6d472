package io.backstep.saga.examples.tcc;

import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.ParticipantGuards;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A participant of one's own: holds money, and takes it or gives it back. Its rules are the guard's: each takes effect once, what is taken is
 * never given back, and what comes after its cancel is refused.
 */
final class Wallets {
    static final String DDL = """
            create table if not exists wallet (
              customer varchar(40) primary key, free bigint not null check (free >= 0), held bigint not null check (held >= 0))
            """;

    private final JdbcTransactions transactions;
    private final ParticipantGuard<Held> guard;

    Wallets(JdbcTransactions transactions, ParticipantGuards guards) {
        this.transactions = transactions;
        this.guard = guards.guard(Step.named("hold-money", Held.class));
    }

    Held hold(String key, String customer, long cents) throws Exception {
        return guard.action(key, () -> {
            int rows = move(
                    "update wallet set free = free - ?, held = held + ? where customer = ? and free >= ?",
                    cents,
                    cents,
                    customer,
                    cents);
            if (rows == 0) {
                throw new StepRejectedException("NOT_ENOUGH", customer + " has less than " + cents);
            }
            return new Held(customer, cents);
        });
    }

    void take(String key) throws Exception {
        guard.confirmation(
                key,
                held -> move("update wallet set held = held - ? where customer = ?", held.cents(), held.customer()));
    }

    void giveBack(String key) throws Exception {
        guard.compensation(key, recorded -> {
            if (recorded.isPresent()) {
                Held held = recorded.get();
                move(
                        "update wallet set free = free + ?, held = held - ? where customer = ?",
                        held.cents(),
                        held.cents(),
                        held.customer());
            }
        });
    }

    private int move(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = transactions.connection().prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    void open(String customer, long cents) throws Exception {
        transactions.run(() -> move("insert into wallet (free, held, customer) values (?, 0, ?)", cents, customer));
    }

    /** Free and held. */
    String balance(String customer) throws Exception {
        return transactions.run(() -> {
            try (PreparedStatement statement =
                    transactions.connection().prepareStatement("select free, held from wallet where customer = ?")) {
                statement.setString(1, customer);
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    return rows.getLong(1) + " free, " + rows.getLong(2) + " held";
                }
            }
        });
    }
}
