-- Prepares a database for the warehouse. Run it once, as a superuser, connected to a database that holds nothing else:
--
--   psql -v writer_password=… -d daybook -f deploy/postgres/warehouse.sql
--
-- It makes the role `daybook_warehouse`, which the service writes as (WAREHOUSE_URL), and functions by which that role makes and
-- drops logins that can only read. It takes from PUBLIC what a login could disturb others with. It may be run again.
\set ON_ERROR_STOP on
BEGIN;

-- Roles are of the whole server: another database may have made them.
SELECT 'CREATE ROLE daybook_warehouse LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'daybook_warehouse') \gexec
ALTER ROLE daybook_warehouse PASSWORD :'writer_password';
-- What every reading login may see: the tables that describe the others.
SELECT 'CREATE ROLE wh_reader NOLOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'wh_reader') \gexec
GRANT pg_signal_backend, pg_read_all_stats TO daybook_warehouse;

SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', datname)
FROM pg_database WHERE datname IN (current_database(), 'postgres', 'template1') \gexec
SELECT format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO daybook_warehouse', current_database()) \gexec
SELECT format('GRANT CONNECT ON DATABASE %I TO wh_reader', current_database()) \gexec
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO wh_reader;
GRANT USAGE, CREATE ON SCHEMA public TO daybook_warehouse;

-- The service's own: how far it has come, and what it builds beside what is served.
CREATE SCHEMA IF NOT EXISTS wh_state AUTHORIZATION daybook_warehouse;
CREATE SCHEMA IF NOT EXISTS wh_build AUTHORIZATION daybook_warehouse;

-- Whose rows a login sees. Only a superuser writes here, by the functions below.
CREATE SCHEMA IF NOT EXISTS wh_own;
GRANT USAGE ON SCHEMA wh_own TO daybook_warehouse;
CREATE TABLE IF NOT EXISTS wh_own.secret (secret bytea NOT NULL);
INSERT INTO wh_own.secret
SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
WHERE NOT EXISTS (SELECT FROM wh_own.secret);
CREATE TABLE IF NOT EXISTS wh_own.logins (
  login name PRIMARY KEY, company text NOT NULL, columns name NOT NULL, made_at timestamptz NOT NULL DEFAULT now());
GRANT SELECT ON wh_own.secret, wh_own.logins TO daybook_warehouse;

-- Asked by the policies. Tests the login itself: unlike a setting, no statement can change it.
CREATE OR REPLACE FUNCTION wh_own.my_company() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS
$$ SELECT company FROM wh_own.logins WHERE login = session_user $$;

-- A set of columns that logins may read. The writer grants them to it.
CREATE OR REPLACE FUNCTION wh_own.make_columns(columns text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  IF columns !~ '^wh_s_[0-9a-f]{32}$' THEN RAISE EXCEPTION 'not the name of a set of columns'; END IF;
  PERFORM FROM pg_roles WHERE rolname = columns;
  IF FOUND THEN RETURN; END IF;
  EXECUTE format('CREATE ROLE %I NOLOGIN IN ROLE wh_reader', columns);
END $$;

CREATE OR REPLACE FUNCTION wh_own.make_login(
  login text, password text, company text, columns text, connections integer, milliseconds integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  IF login !~ '^wh_[ab]_[0-9a-f]{24}$' OR columns !~ '^wh_s_[0-9a-f]{32}$' THEN
    RAISE EXCEPTION 'not the name of a login';
  END IF;
  PERFORM FROM pg_roles WHERE rolname = login;
  IF FOUND THEN
    EXECUTE format('ALTER ROLE %I PASSWORD %L', login, password);
  ELSE
    EXECUTE format('CREATE ROLE %I LOGIN PASSWORD %L CONNECTION LIMIT %s IN ROLE %I', login, password, connections, columns);
    EXECUTE format('ALTER ROLE %I SET default_transaction_read_only = on', login);
    EXECUTE format('ALTER ROLE %I SET statement_timeout = %s', login, milliseconds);
    EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = 60000', login);
    EXECUTE format('ALTER ROLE %I SET work_mem = ''16MB''', login);
    -- The login cannot raise this one.
    EXECUTE format('ALTER ROLE %I SET temp_file_limit = ''256MB''', login);
  END IF;
  INSERT INTO wh_own.logins (login, company, columns) VALUES (make_login.login, make_login.company, make_login.columns)
  ON CONFLICT ON CONSTRAINT logins_pkey DO UPDATE SET company = excluded.company, columns = excluded.columns;
END $$;

-- The login reads this set of columns, and no other.
CREATE OR REPLACE FUNCTION wh_own.allow_columns(login text, columns text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE other name;
BEGIN
  IF login !~ '^wh_[ab]_[0-9a-f]{24}$' OR columns !~ '^wh_s_[0-9a-f]{32}$' THEN
    RAISE EXCEPTION 'not the name of a login';
  END IF;
  FOR other IN
    SELECT r.rolname FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid
    WHERE m.member = (SELECT oid FROM pg_roles WHERE rolname = login) AND r.rolname <> columns
  LOOP
    EXECUTE format('REVOKE %I FROM %I', other, login);
  END LOOP;
  EXECUTE format('GRANT %I TO %I', columns, login);
  UPDATE wh_own.logins AS l SET columns = allow_columns.columns WHERE l.login = allow_columns.login;
END $$;

-- The row goes first: sessions that are open see nothing from then on.
CREATE OR REPLACE FUNCTION wh_own.drop_login(login text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  IF login !~ '^wh_[ab]_[0-9a-f]{24}$' THEN RAISE EXCEPTION 'not the name of a login'; END IF;
  DELETE FROM wh_own.logins AS l WHERE l.login = drop_login.login;
  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = drop_login.login;
  EXECUTE format('DROP ROLE IF EXISTS %I', login);
END $$;

REVOKE ALL ON FUNCTION
  wh_own.make_columns, wh_own.make_login, wh_own.allow_columns, wh_own.drop_login, wh_own.my_company FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wh_own.make_columns, wh_own.make_login, wh_own.allow_columns, wh_own.drop_login TO daybook_warehouse;
GRANT EXECUTE ON FUNCTION wh_own.my_company TO wh_reader, daybook_warehouse;

-- As SQLite has it: so that a question on days is one text for both.
CREATE OR REPLACE FUNCTION public.julianday(date) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT ($1 - DATE '2000-01-01') + 2451544.5::double precision $$;
CREATE OR REPLACE FUNCTION public.julianday(timestamptz) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT extract(epoch FROM $1)::double precision / 86400 + 2440587.5 $$;

-- What a login could disturb the others with, or learn of them: docs/decisions/warehouse-postgres.md.
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure)
FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f'
  AND (proname ~ '^(pg_(try_)?advisory_|lo_|lowrite|loread|pg_sleep|pg_stat_get_|pg_logical_|pg_replication_|pg_export_snapshot)'
    OR proname ~ '^(query|table|cursor|schema|database)_to_xml'
    OR proname IN ('pg_notify', 'set_config', 'pg_lock_status', 'ts_stat', 'ts_rewrite', 'txid_current', 'pg_current_xact_id',
                   'pg_cancel_backend', 'pg_terminate_backend', 'pg_get_multixact_members')) \gexec
GRANT EXECUTE ON FUNCTION pg_terminate_backend(integer, bigint), pg_cancel_backend(integer), pg_stat_get_activity(integer)
TO daybook_warehouse;
REVOKE USAGE ON LANGUAGE plpgsql, sql FROM PUBLIC;

COMMIT;
