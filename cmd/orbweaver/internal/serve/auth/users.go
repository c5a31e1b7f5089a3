package auth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
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
	Name    string
	Role    Role
	Via     Via // Password, OIDC or Proxy
	Email   string
	Zone    string // the name of a time zone, "" for that of the server
	Digest  string // one of Digests
	Created time.Time
	// Digested is the time up to which the person got digests, or since when there are any to get.
	Digested time.Time
}

// Via is how somebody signs in.
type Via string

// The ways to sign in.
const (
	Password Via = "password"
	OIDC     Via = "oidc"
	Proxy    Via = "proxy"
	ByToken  Via = "token"
	Nobody   Via = "none" // everybody is let in
)

// Digests are how often a person gets a summary by mail.
var Digests = []string{"none", "weekly", "monthly"}

// Errors of users and tokens. They wrap ErrUsage: the caller asked for something that
// cannot be done.
var (
	ErrUsage         = errors.New("not possible")
	ErrLastAdmin     = fmt.Errorf("%w: this is the last administrator, and there is no token of an administrator; add another one first", ErrUsage)
	ErrUnknown       = fmt.Errorf("%w: there is no such name", ErrUsage)
	ErrTaken         = fmt.Errorf("%w: the name is taken", ErrUsage)
	ErrManaged       = fmt.Errorf("%w: the account has no password here, and its role comes from where the person signs in", ErrUsage)
	errMalformedName = fmt.Errorf("%w: use 1 to 64 letters, digits and . _ @ -", ErrUsage)
)

var namePattern = lazy.Regexp(`^[A-Za-z0-9._@-]+$`)

const maxNameLength = 64

// CheckName returns an error if nobody can have a name.
func CheckName(name string) error {
	if len(name) > maxNameLength || !namePattern().MatchString(name) {
		return fmt.Errorf("name %q is malformed: %w", name, errMalformedName)
	}
	return nil
}

func millis(t time.Time) int64 { return t.UnixMilli() }

// AddUser adds an account with a password. Names are unique.
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
		return errors.Join(err, fmt.Errorf("there is already a user %s (%w)", name, ErrTaken))
	}
	return nil
}

const userColumns = "name, role, origin, email, time_zone, digest, created, digested"

func scanUser(row rows.Row) (*User, error) {
	u := &User{}
	var role string
	var created, digested int64
	if err := row.Scan(&u.Name, &role, &u.Via, &u.Email, &u.Zone, &u.Digest, &created, &digested); err != nil {
		return nil, err
	}
	var err error
	u.Role, err = ParseRole(role)
	u.Created, u.Digested = time.UnixMilli(created).UTC(), time.UnixMilli(digested).UTC()
	return u, err
}

// User returns the account with a name, or an error that wraps ErrUnknown.
func (s *Store) User(ctx context.Context, name string) (*User, error) {
	u, err := scanUser(s.db.QueryRowContext(ctx, "SELECT "+userColumns+" FROM auth_users WHERE name = ?", name))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("there is no user %q (%w)", name, ErrUnknown)
	}
	if err != nil {
		return nil, fmt.Errorf("read user: %s: %w", name, err)
	}
	return u, nil
}

// Users returns all accounts, sorted by name.
func (s *Store) Users(ctx context.Context) ([]*User, error) {
	users, err := rows.All(ctx, s.db, scanUser, "SELECT "+userColumns+" FROM auth_users ORDER BY name")
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	return users, nil
}

// Change is what a change of an account sets; nil leaves a value as it is.
type Change struct {
	Role                *Role
	Password            *string // it ends the sessions of the user but Session
	Email, Zone, Digest *string
	// Session is the secret of the session that a new password does not end.
	Session string
	// ByToken allows that no administrator is left while there is a token of one.
	ByToken bool
}

// ChangeUser changes an account. What it sets counts from the next request of the user on.
func (s *Store) ChangeUser(ctx context.Context, name string, c Change) error {
	var hash string
	if c.Password != nil {
		if err := CheckPassword(*c.Password); err != nil {
			return fmt.Errorf("%w (%w)", err, ErrUsage)
		}
		var err error
		if hash, err = hashPassword(ctx, *c.Password); err != nil {
			return err
		}
	}
	return s.alter(ctx, name, c.ByToken, func(tx *sql.Tx, u *User) error {
		if u.Via != Password && (c.Role != nil || c.Password != nil) {
			return fmt.Errorf("change user %s: %w", name, ErrManaged)
		}
		if c.Role != nil {
			u.Role = *c.Role
		}
		for _, one := range []struct{ to, from *string }{{&u.Email, c.Email}, {&u.Zone, c.Zone}, {&u.Digest, c.Digest}} {
			if one.from != nil {
				*one.to = *one.from
			}
		}
		if _, err := tx.ExecContext(ctx, `UPDATE auth_users SET role = ?1, email = ?2, time_zone = ?3, digest = ?4, digested = iif(digest = ?4, digested, ?6) WHERE name = ?5`,
			u.Role.String(), u.Email, u.Zone, u.Digest, name, millis(time.Now())); err != nil || c.Password == nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE auth_users SET password = ? WHERE name = ?`, hash, name); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM auth_sessions WHERE user = ? AND hash <> ?`, name, HashSecret(c.Session))
		return err
	})
}

// RemoveUser removes an account and ends its sessions. The last administrator stays; with byToken,
// only if no token has that role.
func (s *Store) RemoveUser(ctx context.Context, name string, byToken bool) error {
	return s.alter(ctx, name, byToken, func(tx *sql.Tx, _ *User) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM auth_users WHERE name = ?`, name)
		return err
	})
}

// alter changes an account, unless no administrator would be left.
func (s *Store) alter(ctx context.Context, name string, byToken bool, change func(*sql.Tx, *User) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("change user: %w", err)
	}
	defer tx.Rollback()
	u, err := scanUser(tx.QueryRowContext(ctx, "SELECT "+userColumns+" FROM auth_users WHERE name = ?", name))
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("there is no user %q (%w)", name, ErrUnknown)
	}
	if err != nil {
		return fmt.Errorf("change user: %w", err)
	}
	wasAdmin := u.Role == Admin
	if err := change(tx, u); err != nil {
		return err
	}
	if wasAdmin {
		var left bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM auth_users WHERE role = 'admin')
			OR ? AND EXISTS (SELECT 1 FROM auth_tokens WHERE role = 'admin' AND project IS NULL AND (expires IS NULL OR expires > ?))`, byToken, millis(time.Now())).Scan(&left); err != nil {
			return fmt.Errorf("change user: %w", err)
		}
		if !left {
			return fmt.Errorf("%s: %w", name, ErrLastAdmin)
		}
	}
	return tx.Commit()
}

// SetDigested stores up to when a person got digests.
func (s *Store) SetDigested(ctx context.Context, name string, at time.Time) error {
	_, err := s.db.ExecContext(ctx, `UPDATE auth_users SET digested = ? WHERE name = ?`, millis(at), name)
	return err
}

// Names returns the names of all accounts, and those of tokens with "token:" before them.
func (s *Store) Names(ctx context.Context) (map[string]bool, error) {
	names, err := rows.Map[string, bool](ctx, s.db, "SELECT name, true FROM auth_users UNION ALL SELECT ? || name, true FROM auth_tokens", tokenKey)
	if err != nil {
		return nil, fmt.Errorf("list the names: %w", err)
	}
	return names, nil
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
