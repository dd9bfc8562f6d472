-- Common to H2 and PostgreSQL.
create table received_order (
    reference varchar(100) primary key,
    order_id uuid not null,
    received_at timestamp(6) with time zone not null
);
create index received_order_latest on received_order (received_at);

create table orders (
    id uuid primary key,
    customer varchar(100) not null,
    sku varchar(50) not null,
    quantity int not null,
    amount numeric(19, 2) not null,
    status varchar(20) not null
);

-- what is reserved is still in stock, but nobody else's
create table stock (
    sku varchar(50) primary key,
    stock int not null,
    reserved int not null,
    constraint never_oversold check (reserved >= 0 and stock >= reserved)
);

create table reservation (
    idempotency_key varchar(200) primary key,
    sku varchar(50),
    quantity int not null,
    status varchar(20) not null
);

insert into stock (sku, stock, reserved) values ('book', 1000000, 0), ('lamp', 3, 0);
