#!/bin/sh
# What a database administrator makes for jobrunner (docs/operating/install.md), when the container's server is made: the
# role that owns the database and nothing else, the groups, and the logins of workers, of operators and of
# `jobrunner serve`. Their passwords are read from files (passwords.sh), and stand in no environment and no argument.
set -eu
psql -X -q -v ON_ERROR_STOP=1 --no-password -U "${POSTGRES_USER:-postgres}" -d postgres <<'SQL'
-- A statement that failed would stand in the log, password and all.
set log_min_error_statement = panic;
set log_statement = none;
\cd /logins
\set owner_password `cat owner/password`
\set work_password `cat work/password`
\set operate_password `cat operate/password`
\set serve_password `cat serve/password`
create role jobrunner login password :'owner_password';
create role jobrunner_worker nologin;
create role jobrunner_operator nologin;
create role jobrunner_reader nologin;
create role jobrunner_application nologin;
create role jobrunner_work login password :'work_password' in role jobrunner_worker;
create role jobrunner_operate login password :'operate_password' in role jobrunner_operator;
create role jobrunner_serve login password :'serve_password' in role jobrunner_reader;
create database jobrunner owner jobrunner;
revoke connect, temporary on database jobrunner from public;
grant connect on database jobrunner to jobrunner_worker, jobrunner_operator, jobrunner_reader, jobrunner_application;
-- The superuser comes through the container's own socket alone.
alter role current_user password null;
SQL
