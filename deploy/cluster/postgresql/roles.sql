-- Two roles and a database for Carrel. As a superuser, once: psql -f roles.sql
--
--   carrel_owner   owns the tables: makes them, and brings them to a new version; see README.md
--   carrel         what nodes run as: reads and writes rows, and changes no table
--
-- Then set both passwords, so that they stand in no file and no log: \password carrel_owner and \password carrel
create role carrel_owner login;
create role carrel login connection limit 300;
-- Words are compared by their bytes, as on one machine, whatever the server's own rules are.
create database carrel owner carrel_owner template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C';
revoke all on database carrel from public;
grant connect on database carrel to carrel;
