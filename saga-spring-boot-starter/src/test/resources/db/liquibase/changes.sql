--liquibase formatted sql

--changeset app:1
create table app_order (id uuid primary key, item varchar(50));

--changeset app:2 context:later
create table app_later (id uuid primary key);
