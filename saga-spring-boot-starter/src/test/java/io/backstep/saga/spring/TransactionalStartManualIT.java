package io.backstep.saga.spring;

import io.backstep.saga.testsupport.TestPostgres;
import org.springframework.context.ConfigurableApplicationContext;

/** On a pool whose connections come with autocommit off: F058. */
class TransactionalStartManualIT extends TransactionalStartContract {
    @Override
    ConfigurableApplicationContext application(TestPostgres.Db database) {
        return Applications.run(database, Application.class, "spring.datasource.hikari.auto-commit=false");
    }
}
