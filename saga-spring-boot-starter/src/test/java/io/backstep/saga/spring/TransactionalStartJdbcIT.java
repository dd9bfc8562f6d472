package io.backstep.saga.spring;

import io.backstep.saga.testsupport.TestPostgres;
import org.springframework.context.ConfigurableApplicationContext;

class TransactionalStartJdbcIT extends TransactionalStartContract {
    @Override
    ConfigurableApplicationContext application(TestPostgres.Db database) {
        return Applications.run(database, Application.class);
    }
}
