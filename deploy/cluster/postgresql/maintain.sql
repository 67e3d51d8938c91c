-- psql -d carrel -f maintain.sql
-- After grants.sql, and once more after an upgrade from a version without receipts; PostgreSQL 17 or newer. Nodes may then vacuum
-- their tables, and receipts of deletions come within seconds; else they wait for the server's autovacuum.
alter default privileges for role carrel_owner in schema public grant maintain on tables to carrel;
grant maintain on all tables in schema public to carrel;
