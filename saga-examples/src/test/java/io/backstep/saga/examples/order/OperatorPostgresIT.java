package io.backstep.saga.examples.order;

import io.backstep.saga.testsupport.TestPostgres;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

class OperatorPostgresIT extends OperatorContract {
    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        TestPostgres.Db db = TestPostgres.fresh();
        properties.add("spring.datasource.url", db::url);
        properties.add("spring.datasource.username", db::user);
        properties.add("spring.datasource.password", db::password);
    }
}
