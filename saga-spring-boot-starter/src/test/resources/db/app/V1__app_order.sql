create table app_order (id uuid primary key, item varchar(50));
