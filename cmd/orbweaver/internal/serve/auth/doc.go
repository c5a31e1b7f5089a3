// Package auth keeps the accounts, tokens and browser sessions of the web interface, and
// decides who a request comes from.
//
//	Store     users, tokens and sessions in the database of the server   users.go tokens.go sessions.go
//	Role      what somebody may do: viewer, editor, admin                role.go
//	Setup     the address at which the first administrator signs up      setup.go
//	limiter   failed sign-ins, by name and by address of the client      limiter.go
//	hash      argon2id for passwords, SHA-256 for random secrets         password.go
//
// Nothing secret is stored: passwords are hashed with argon2id, and tokens and sessions,
// which are 256 random bits, with SHA-256. Every request looks its user or token up, so
// that a change on the command line holds from the next request on.
//
// The tables are those of [Schema], which the server's migration creates.
package auth

// Schema creates the tables of a Store. Times are milliseconds since 1970; an expires of
// NULL means never.
const Schema = `
CREATE TABLE auth_users (
	name     TEXT PRIMARY KEY,
	role     TEXT NOT NULL,
	password TEXT NOT NULL,
	created  INTEGER NOT NULL
) STRICT;
CREATE TABLE auth_tokens (
	name    TEXT PRIMARY KEY,
	role    TEXT NOT NULL,
	hash    BLOB NOT NULL UNIQUE,
	expires INTEGER,
	created INTEGER NOT NULL
) STRICT;
CREATE TABLE auth_sessions (
	hash  BLOB PRIMARY KEY,
	user  TEXT REFERENCES auth_users (name) ON DELETE CASCADE,
	token TEXT REFERENCES auth_tokens (name) ON DELETE CASCADE,
	seen  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX auth_sessions_user ON auth_sessions (user);
CREATE INDEX auth_sessions_token ON auth_sessions (token);
`

// Profiles adds what accounts, tokens and sessions have since people have profiles.
const Profiles = `
ALTER TABLE auth_users ADD COLUMN origin TEXT NOT NULL DEFAULT 'password'; -- password, oidc or proxy
ALTER TABLE auth_users ADD COLUMN issuer TEXT NOT NULL DEFAULT '';  -- of an account of a provider
ALTER TABLE auth_users ADD COLUMN subject TEXT NOT NULL DEFAULT ''; -- its name there, for ever
ALTER TABLE auth_users ADD COLUMN email TEXT NOT NULL DEFAULT '';
ALTER TABLE auth_users ADD COLUMN time_zone TEXT NOT NULL DEFAULT '';
ALTER TABLE auth_users ADD COLUMN digest TEXT NOT NULL DEFAULT 'none';
CREATE UNIQUE INDEX auth_users_subject ON auth_users (issuer, subject) WHERE subject <> '';
ALTER TABLE auth_tokens ADD COLUMN project TEXT; -- the only one that it reaches
ALTER TABLE auth_sessions ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE auth_sessions ADD COLUMN created INTEGER NOT NULL DEFAULT 0;
ALTER TABLE auth_sessions ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE auth_sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE auth_sessions ADD COLUMN expires INTEGER;
UPDATE auth_sessions SET id = lower(hex(randomblob(8))), created = seen;
`

// Digested adds up to when people got their digests.
const Digested = `
ALTER TABLE auth_users ADD COLUMN digested INTEGER NOT NULL DEFAULT 0;
UPDATE auth_users SET digested = unixepoch() * 1000;
`
