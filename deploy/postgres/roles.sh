#!/bin/sh
# What a database administrator makes for jobrunner (docs/operating/install.md), when the container's server is made: the role that
# owns the database and nothing else, the role that may look, and the login of `jobrunner serve`, with the passwords that
# JOBRUNNER_PASSWORD and SERVE_PASSWORD hold.
set -eu
export JOBRUNNER_PASSWORD SERVE_PASSWORD
psql -X -q -v ON_ERROR_STOP=1 --no-password -U "${POSTGRES_USER:-postgres}" -d postgres <<'SQL'
\getenv owner_password JOBRUNNER_PASSWORD
\getenv serve_password SERVE_PASSWORD
create role jobrunner login password :'owner_password';
create role jobrunner_reader nologin;
create role jobrunner_serve login password :'serve_password' in role jobrunner_reader;
create database jobrunner owner jobrunner;
revoke connect, temporary on database jobrunner from public;
grant connect on database jobrunner to jobrunner_reader;
SQL
