-- What the role of the nodes may do. In the database, as a superuser, before the owner makes the tables:
-- psql -d carrel -f grants.sql
alter schema public owner to carrel_owner;
revoke all on schema public from public;
grant usage on schema public to carrel;
alter default privileges for role carrel_owner in schema public grant select, insert, update, delete on tables to carrel;
alter default privileges for role carrel_owner in schema public grant usage, select on sequences to carrel;
-- A statement that hangs holds its locks; a node gives up after 15 s, and so does the server. Migrations may take longer.
alter role carrel in database carrel set statement_timeout = '60s';
alter role carrel in database carrel set idle_in_transaction_session_timeout = '60s';
