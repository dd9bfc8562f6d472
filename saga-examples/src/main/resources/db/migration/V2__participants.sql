-- What payments and mail know. It would be in another database, if they were really somewhere else.
create table payment (
    idempotency_key varchar(200) primary key,
    payment_id varchar(36) not null,
    card varchar(50),
    amount numeric(19, 2),
    status varchar(20) not null
);

create table mail (
    idempotency_key varchar(200) primary key,
    recipient varchar(100) not null,
    text varchar(500) not null
);
