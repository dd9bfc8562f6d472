create table app_later (id uuid primary key);
