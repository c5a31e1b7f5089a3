package auth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Person is somebody who signs in elsewhere.
type Person struct {
	Issuer, Subject string // who it is; of a proxy, Issuer is "proxy" and Subject the name
	Name            string // of a new account
	Email           string // of a new account, "" if it is not known
	Role            Role
}

// NameTakenError is the error for a new account whose name another account has.
type NameTakenError struct{ Name string }

func (e *NameTakenError) Error() string {
	return fmt.Sprintf("another account has the name %s (%v)", e.Name, ErrTaken)
}

// Unwrap returns ErrTaken.
func (e *NameTakenError) Unwrap() error { return ErrTaken }

// People are those who sign in elsewhere. Each has an account, which is made at first sight.
type People struct{ Store *Store }

// SignIn gives a person the role and returns the secret of a new session, which ends after life. The error may be a *NameTakenError.
func (s People) SignIn(ctx context.Context, p *Person, client Client, life time.Duration) (string, error) {
	name, err := s.admit(ctx, p, OIDC)
	if err != nil {
		return "", err
	}
	return s.Store.open(ctx, &opened{user: name, client: client, life: life})
}

// admit returns the name of the account of a person, which is made at first sight, and sets its role.
func (s People) admit(ctx context.Context, p *Person, via Via) (name string, err error) {
	tx, err := s.Store.db.BeginTx(ctx, nil)
	if err != nil {
		return "", fmt.Errorf("sign in: %w", err)
	}
	defer tx.Rollback()
	err = tx.QueryRowContext(ctx, `UPDATE auth_users SET role = ? WHERE issuer = ? AND subject = ? AND origin = ? RETURNING name`, p.Role.String(), p.Issuer, p.Subject, string(via)).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.QueryRowContext(ctx, `INSERT INTO auth_users (name, role, password, created, origin, issuer, subject, email) SELECT ?, ?, '', ?, ?, ?, ?, ?
			WHERE NOT EXISTS (SELECT 1 FROM auth_users WHERE name = ?1) RETURNING name`,
			p.Name, p.Role.String(), millis(time.Now()), string(via), p.Issuer, p.Subject, p.Email).Scan(&name)
		if errors.Is(err, sql.ErrNoRows) {
			return "", &NameTakenError{p.Name}
		}
	}
	if err != nil {
		return "", fmt.Errorf("sign in: %w", err)
	}
	return name, tx.Commit()
}

// proxyIssuer is the issuer of the accounts of people whom a proxy signs in.
const proxyIssuer = "proxy"

// ByProxy returns somebody whom a proxy has signed in, whose account is made at first sight. The error
// may be a *NameTakenError.
func (s People) ByProxy(ctx context.Context, name string, role Role) (*Identity, error) {
	var stored, zone string
	err := s.Store.db.QueryRowContext(ctx, `SELECT role, time_zone FROM auth_users WHERE issuer = ? AND subject = ?`, proxyIssuer, name).Scan(&stored, &zone)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("sign in: %w", err)
	}
	if stored != role.String() {
		if name, err = s.admit(ctx, &Person{Issuer: proxyIssuer, Subject: name, Name: name, Role: role}, Proxy); err != nil {
			return nil, err
		}
	}
	return &Identity{Name: name, Role: role, Via: Proxy, Zone: zone}, nil
}
