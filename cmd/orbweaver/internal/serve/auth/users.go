package auth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Store keeps users, tokens and sessions in a database that has the tables of [Schema] and
// enforces foreign keys. It is safe for concurrent use, also by several processes.
type Store struct {
	db       *sql.DB
	failures limiter
}

// New returns the Store in a database.
func New(db *sql.DB) *Store { return &Store{db: db} }

// User is an account.
type User struct {
	Name string
	Role Role
}

// Errors of users and tokens. They wrap ErrUsage: the caller asked for something that
// cannot be done.
var (
	ErrUsage         = errors.New("not possible")
	errLastAdmin     = fmt.Errorf("%w: this is the last administrator, and there is no token of an administrator; add another one first", ErrUsage)
	errMalformedName = fmt.Errorf("%w: use 1 to 64 letters, digits and . _ @ -", ErrUsage)
)

var namePattern = regexp.MustCompile(`^[A-Za-z0-9._@-]+$`)

const maxNameLength = 64

// CheckName returns an error if nobody can have a name.
func CheckName(name string) error {
	if len(name) > maxNameLength || !namePattern.MatchString(name) {
		return fmt.Errorf("name %q is malformed: %w", name, errMalformedName)
	}
	return nil
}

func millis(t time.Time) int64 { return t.UnixMilli() }

// AddUser adds an account. Names are unique.
func (s *Store) AddUser(ctx context.Context, name, password string, role Role) error {
	return s.addUser(ctx, name, password, role, false)
}

// AddFirstUser adds an administrator if there is neither a user nor a token; otherwise it
// returns an error that wraps ErrUsage.
func (s *Store) AddFirstUser(ctx context.Context, name, password string) error {
	return s.addUser(ctx, name, password, Admin, true)
}

func (s *Store) addUser(ctx context.Context, name, password string, role Role, first bool) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := CheckPassword(password); err != nil {
		return fmt.Errorf("%w (%w)", err, ErrUsage)
	}
	hash, err := hashPassword(ctx, password)
	if err != nil {
		return err
	}
	result, err := s.db.ExecContext(ctx, `INSERT INTO auth_users (name, role, password, created) SELECT ?, ?, ?, ?
		WHERE NOT EXISTS (SELECT 1 FROM auth_users WHERE name = ?1) AND (NOT ? OR NOT EXISTS (SELECT 1 FROM auth_users) AND NOT EXISTS (SELECT 1 FROM auth_tokens))`,
		name, role.String(), hash, millis(time.Now()), first)
	if err != nil {
		return fmt.Errorf("add user: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, fmt.Errorf("there is already a user %s (%w)", name, ErrUsage))
	}
	return nil
}

// Users returns all accounts, sorted by name.
func (s *Store) Users(ctx context.Context) ([]User, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT name, role FROM auth_users ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	defer rows.Close()
	var users []User
	for rows.Next() {
		var name, role string
		if err := rows.Scan(&name, &role); err != nil {
			return nil, fmt.Errorf("list users: %w", err)
		}
		r, err := ParseRole(role)
		if err != nil {
			return nil, fmt.Errorf("list users: %s: %w", name, err)
		}
		users = append(users, User{name, r})
	}
	return users, rows.Err()
}

// RemoveUser removes an account and ends its sessions. The last administrator stays if no
// token has that role.
func (s *Store) RemoveUser(ctx context.Context, name string) error {
	result, err := s.db.ExecContext(ctx, `DELETE FROM auth_users WHERE name = ?1 AND (role <> 'admin'
		OR EXISTS (SELECT 1 FROM auth_users WHERE role = 'admin' AND name <> ?1)
		OR EXISTS (SELECT 1 FROM auth_tokens WHERE role = 'admin' AND (expires IS NULL OR expires > ?2)))`, name, millis(time.Now()))
	if err != nil {
		return fmt.Errorf("remove user: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	var known bool
	if err := s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM auth_users WHERE name = ?)`, name).Scan(&known); err != nil {
		return fmt.Errorf("remove user: %w", err)
	}
	if known {
		return fmt.Errorf("remove user %s: %w", name, errLastAdmin)
	}
	return fmt.Errorf("there is no user %q (%w)", name, ErrUsage)
}

// Empty reports whether there is neither a user nor a token.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	var empty bool
	err := s.db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM auth_users) AND NOT EXISTS (SELECT 1 FROM auth_tokens)`).Scan(&empty)
	if err != nil {
		return false, fmt.Errorf("look for users: %w", err)
	}
	return empty, nil
}
