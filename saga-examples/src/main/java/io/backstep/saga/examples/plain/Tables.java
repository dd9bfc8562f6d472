package io.backstep.saga.examples.plain;

/** The service's own tables. */
final class Tables {
    static final String DDL = """
            create table if not exists received_order (reference varchar(100) primary key, saga_id uuid not null);
            create table if not exists orders (
              id uuid primary key, reference varchar(100) not null, sku varchar(100) not null, quantity int not null,
              status varchar(10) not null);
            create table if not exists stock (sku varchar(100) primary key, available int not null);
            create table if not exists reservation (
              id varchar(200) primary key, sku varchar(100) not null, quantity int not null, status varchar(10) not null);
            create table if not exists payment (
              id varchar(200) primary key, amount numeric(12, 2) not null, status varchar(10) not null);
            create table if not exists mail (id varchar(200) primary key, text varchar(500) not null);
            """;

    private Tables() {}
}
