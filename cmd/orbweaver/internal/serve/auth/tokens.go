package auth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// Token is the name of a secret that stands for a role.
type Token struct {
	Name    string
	Role    Role
	Expires time.Time // zero means never
	Project string    // the only one that it reaches, "" for all
	Created time.Time
}

// tokenPrefix lets programs that search for secrets recognize a token.
const tokenPrefix = "ow_"

// tokenKey is before the name of a token where names of users stand, too.
const tokenKey = "token:"

// CreateToken makes a token and returns its secret, which cannot be read again. Names are
// unique among tokens. A zero Expires means never.
func (s *Store) CreateToken(ctx context.Context, t Token) (string, error) {
	if err := CheckName(t.Name); err != nil {
		return "", err
	}
	secret := tokenPrefix + NewSecret()
	end := sql.NullInt64{Int64: millis(t.Expires), Valid: !t.Expires.IsZero()}
	result, err := s.db.ExecContext(ctx, `INSERT INTO auth_tokens (name, role, hash, expires, created, project) SELECT ?, ?, ?, ?, ?, ?
		WHERE NOT EXISTS (SELECT 1 FROM auth_tokens WHERE name = ?1)`, t.Name, t.Role.String(), HashSecret(secret), end, millis(time.Now()), sql.NullString{String: t.Project, Valid: t.Project != ""})
	if err != nil {
		return "", fmt.Errorf("create token: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return "", errors.Join(err, fmt.Errorf("there is already a token %s (%w)", t.Name, ErrTaken))
	}
	return secret, nil
}

// Tokens returns all tokens, sorted by name, expired ones too.
func (s *Store) Tokens(ctx context.Context) ([]Token, error) {
	tokens, err := rows.All(ctx, s.db, func(row rows.Row) (t Token, err error) {
		var role string
		var expires sql.NullInt64
		var created int64
		if err := row.Scan(&t.Name, &role, &expires, &t.Project, &created); err != nil {
			return t, err
		}
		if t.Role, err = ParseRole(role); err != nil {
			return t, fmt.Errorf("%s: %w", t.Name, err)
		}
		t.Created = time.UnixMilli(created).UTC()
		if expires.Valid {
			t.Expires = time.UnixMilli(expires.Int64).UTC()
		}
		return t, nil
	}, `SELECT name, role, expires, coalesce(project, ''), created FROM auth_tokens ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return tokens, nil
}

// RemoveToken removes a token and ends the sessions that were opened with it.
func (s *Store) RemoveToken(ctx context.Context, name string) error {
	result, err := s.db.ExecContext(ctx, `DELETE FROM auth_tokens WHERE name = ?`, name)
	if err != nil {
		return fmt.Errorf("remove token: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return fmt.Errorf("there is no token %q (%w)", name, ErrUnknown)
}

// ByToken returns whom a token stands for. ok is false if it is unknown or has expired.
func (s *Store) ByToken(ctx context.Context, secret string) (who Identity, ok bool, err error) {
	return s.identify(ctx, `SELECT name, role, 'token', coalesce(project, ''), '', '' FROM auth_tokens WHERE hash = ? AND (expires IS NULL OR expires > ?)`, HashSecret(secret), millis(time.Now()))
}

// identify returns the name and role that a query finds.
func (s *Store) identify(ctx context.Context, query string, args ...any) (who Identity, ok bool, err error) {
	var role string
	switch err := s.db.QueryRowContext(ctx, query, args...).Scan(&who.Name, &role, &who.Via, &who.Project, &who.Session, &who.Zone); {
	case errors.Is(err, sql.ErrNoRows):
		return Identity{}, false, nil
	case err != nil:
		return Identity{}, false, fmt.Errorf("look up credentials: %w", err)
	}
	if who.Role, err = ParseRole(role); err != nil {
		return Identity{}, false, fmt.Errorf("look up credentials: %s: %w", who.Name, err)
	}
	return who, true, nil
}
