package io.backstep.saga.examples.plain;

import io.backstep.saga.jdbc.JdbcTransactions;

/** Stands for a mail service. When it fails, the order completes all the same. */
final class Mail {
    private final JdbcTransactions transactions;
    private final Sql sql;

    Mail(JdbcTransactions transactions) {
        this.transactions = transactions;
        this.sql = new Sql(transactions);
    }

    void confirmation(String key, String reference, Payment payment) throws Exception {
        String text = "Thank you for " + reference + ". You have paid " + payment.amount() + ".";
        transactions.run(() -> sql.update("""
                insert into mail (id, text) select ?, ? where not exists (select 1 from mail where id = ?)
                """, key, text, key));
    }
}
