#!/bin/sh
# What a database administrator makes for jobrunner (docs/operating/install.md), when the container's server is made: the role that
# owns the database and nothing else, the groups, and the logins of workers, of operators and of `jobrunner serve`, with
# the passwords that JOBRUNNER_PASSWORD, WORK_PASSWORD, OPERATE_PASSWORD and SERVE_PASSWORD hold.
set -eu
export JOBRUNNER_PASSWORD WORK_PASSWORD OPERATE_PASSWORD SERVE_PASSWORD
psql -X -q -v ON_ERROR_STOP=1 --no-password -U "${POSTGRES_USER:-postgres}" -d postgres <<'SQL'
\getenv owner_password JOBRUNNER_PASSWORD
\getenv work_password WORK_PASSWORD
\getenv operate_password OPERATE_PASSWORD
\getenv serve_password SERVE_PASSWORD
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
SQL
