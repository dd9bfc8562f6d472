package io.backstep.saga.examples.plain;

import io.backstep.saga.StepRejectedException;
import io.backstep.saga.jdbc.JdbcTransactions;
import java.math.BigDecimal;

/** Stands for a payment service behind a wire: the first answer to a key is the answer to all. */
final class Payments {
    private final JdbcTransactions transactions;
    private final Sql sql;

    Payments(JdbcTransactions transactions) {
        this.transactions = transactions;
        this.sql = new Sql(transactions);
    }

    Payment charge(String key, String card, BigDecimal amount) throws Exception {
        String status = transactions.run(() -> {
            String wanted = card.equals("declined") ? "DECLINED" : "CHARGED";
            return answer(key, amount, wanted);
        });
        if (!status.equals("CHARGED")) {
            throw new StepRejectedException(status, "the payment of " + amount + " is " + status);
        }
        return new Payment("receipt-" + key, amount);
    }

    /** Gives the money back; when nothing was charged, leaves a mark, which refuses a charge that is still under way. */
    void refund(String key) throws Exception {
        transactions.run(() -> {
            answer(key, BigDecimal.ZERO, "REFUNDED");
            return sql.update("update payment set status = 'REFUNDED' where id = ? and status = 'CHARGED'", key);
        });
    }

    private String answer(String key, BigDecimal amount, String wanted) throws Exception {
        sql.update("""
                insert into payment (id, amount, status) select ?, ?, ?
                where not exists (select 1 from payment where id = ?)
                """, key, amount, wanted, key);
        return sql.first("select status from payment where id = ? for update", key)
                .orElseThrow();
    }
}
