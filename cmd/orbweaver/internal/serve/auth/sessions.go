package auth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

const (
	// SessionIdle is the time after which a session ends that no request has used.
	SessionIdle = 30 * 24 * time.Hour
	// seenInterval limits how often the use of a session is written.
	seenInterval = time.Hour
	// maxSessions is the number of sessions of one user or token; the longest unused ends.
	maxSessions = 100
)

// Identity is whom a request comes from.
type Identity struct {
	Name string // of the user or token
	Role Role
}

// ErrWrongCredentials is the result of a sign-in with an unknown name, a wrong password, or
// an unknown or expired token.
var ErrWrongCredentials = errors.New("wrong name or password")

// SignIn checks a name and a password and returns the secret of a new session. The error is
// ErrWrongCredentials, after equal time for known and unknown names, or a *LimitError.
func (s *Store) SignIn(ctx context.Context, name, password string, client netip.Addr) (string, error) {
	if err := s.verify(ctx, name, password, client); err != nil {
		return "", err
	}
	return s.open(ctx, sql.NullString{String: name, Valid: true}, sql.NullString{})
}

// verify checks the password of a name. Its errors are those of SignIn.
func (s *Store) verify(ctx context.Context, name, password string, client netip.Addr) error {
	end, err := s.failures.begin(ctx, name, client)
	if err != nil {
		return err
	}
	right, err := s.isPassword(ctx, name, password)
	end(err == nil && !right)
	switch {
	case err != nil:
		return fmt.Errorf("sign in: %w", err)
	case !right:
		return ErrWrongCredentials
	}
	return nil
}

// isPassword reports whether a name has a password. It takes as long for unknown names.
func (s *Store) isPassword(ctx context.Context, name, password string) (bool, error) {
	var hash string
	if err := s.db.QueryRowContext(ctx, `SELECT password FROM auth_users WHERE name = ?`, name).Scan(&hash); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	if len(password) > MaxPassword {
		hash, password = "", password[:MaxPassword]
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxTurn, &LimitError{After: time.Second})
	defer cancel()
	return verifyPassword(ctx, hash, password)
}

// SignInByToken checks a token and returns the secret of a new session, which has the role
// of the token and ends with it. Its errors are those of SignIn.
func (s *Store) SignInByToken(ctx context.Context, token string, client netip.Addr) (string, error) {
	end, err := s.failures.begin(ctx, "", client)
	if err != nil {
		return "", err
	}
	who, ok, err := s.ByToken(ctx, token)
	end(err == nil && !ok)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", ErrWrongCredentials
	}
	return s.open(ctx, sql.NullString{}, sql.NullString{String: who.Name, Valid: true})
}

// open stores a new session and returns its secret. It deletes sessions that have ended.
func (s *Store) open(ctx context.Context, user, token sql.NullString) (string, error) {
	secret, now := NewSecret(), time.Now()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return "", fmt.Errorf("open session: %w", err)
	}
	defer tx.Rollback()
	for _, statement := range []struct {
		query string
		args  []any
	}{
		{`DELETE FROM auth_sessions WHERE seen <= ?`, []any{millis(now.Add(-SessionIdle))}},
		{`INSERT INTO auth_sessions (hash, user, token, seen) VALUES (?, ?, ?, ?)`, []any{HashSecret(secret), user, token, millis(now)}},
		{`DELETE FROM auth_sessions WHERE hash IN (SELECT hash FROM auth_sessions WHERE user IS ? AND token IS ? ORDER BY seen DESC, hash = ? DESC LIMIT -1 OFFSET ?)`,
			[]any{user, token, HashSecret(secret), maxSessions}},
	} {
		if _, err := tx.ExecContext(ctx, statement.query, statement.args...); err != nil {
			return "", fmt.Errorf("open session: %w", err)
		}
	}
	if err := tx.Commit(); err != nil {
		return "", fmt.Errorf("open session: %w", err)
	}
	return secret, nil
}

// BySession returns whom the secret of a session stands for. ok is false if there is no
// such session, or if its user or token is gone.
func (s *Store) BySession(ctx context.Context, secret string) (who Identity, ok bool, err error) {
	hash, now := HashSecret(secret), time.Now()
	who, ok, err = s.identify(ctx, `SELECT coalesce(u.name, t.name), coalesce(u.role, t.role) FROM auth_sessions s
		LEFT JOIN auth_users u ON u.name = s.user LEFT JOIN auth_tokens t ON t.name = s.token AND (t.expires IS NULL OR t.expires > ?1)
		WHERE s.hash = ?2 AND s.seen > ?3 AND (u.name IS NOT NULL OR t.name IS NOT NULL)`, millis(now), hash, millis(now.Add(-SessionIdle)))
	if !ok || err != nil {
		return who, ok, err
	}
	// A full disk must not end sessions, so an error is ignored.
	_, _ = s.db.ExecContext(ctx, `UPDATE auth_sessions SET seen = ? WHERE hash = ? AND seen < ?`, millis(now), hash, millis(now.Add(-seenInterval)))
	return who, true, nil
}

// SignOut ends a session.
func (s *Store) SignOut(ctx context.Context, secret string) error {
	if _, err := s.db.ExecContext(ctx, `DELETE FROM auth_sessions WHERE hash = ?`, HashSecret(secret)); err != nil {
		return fmt.Errorf("sign out: %w", err)
	}
	return nil
}
