package io.backstep.saga.spring.http;

import io.backstep.saga.testsupport.TestPostgres;
import java.util.List;
import java.util.stream.Stream;

class JdbcIdempotencyHttpIT extends IdempotencyHttpContract {
    @Override
    Stream<String> properties() {
        TestPostgres.Db database = TestPostgres.fresh();
        return Stream.of(
                "spring.datasource.url=" + database.url(),
                "spring.datasource.username=" + database.user(),
                "spring.datasource.password=" + database.password());
    }

    @Override
    List<Class<?>> configurations() {
        return List.of();
    }
}
