package auth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

const (
	// SessionIdle is the time after which a session ends that no request has used.
	SessionIdle = 30 * 24 * time.Hour
	// seenInterval limits how often the use of a session is written.
	seenInterval = time.Minute
	// maxAgent is how much is kept of what a browser says of itself, in bytes.
	maxAgent = 200
	// maxSessions is the number of sessions of one user or token; the longest unused ends.
	maxSessions = 100
)

// Identity is whom a request comes from.
type Identity struct {
	Name    string // of the user or token
	Role    Role
	Via     Via
	Project string // the only one that a token reaches, "" for all
	Session string // the id of the session, "" without one
	Zone    string // the name of the person's time zone, "" for that of the server
}

// Key returns the name by which projects give access and people own issues and write comments: "token:"
// is before the names of tokens.
func (w *Identity) Key() string {
	if w.Via == ByToken {
		return tokenKey + w.Name
	}
	return w.Name
}

// In returns the role in a project, which gives access to those that are named, or to all if it
// names nobody (nil). It is 0 if the project must not be seen.
func (w *Identity) In(project string, access map[string]Role) Role {
	switch {
	case w.Project != "" && w.Project != project:
		return 0
	case w.Role == Admin || access == nil:
		return w.Role
	}
	return access[w.Key()]
}

// IsPerson reports whether there is an account, which has a profile.
func (w *Identity) IsPerson() bool { return w.Via != ByToken && w.Via != Nobody }

// Client is where a request comes from.
type Client struct {
	Addr  netip.Addr
	Agent string // what the browser says of itself
}

// ErrWrongCredentials is the result of a sign-in with an unknown name, a wrong password, or
// an unknown or expired token.
var ErrWrongCredentials = errors.New("wrong name or password")

// SignIn checks a name and a password and returns the secret of a new session. The error is
// ErrWrongCredentials, after equal time for known and unknown names, or a *LimitError.
func (s *Store) SignIn(ctx context.Context, name, password string, client Client) (string, error) {
	if err := s.verify(ctx, name, password, client); err != nil {
		return "", err
	}
	return s.open(ctx, &opened{user: name, client: client})
}

// verify checks the password of a name. Its errors are those of SignIn.
func (s *Store) verify(ctx context.Context, name, password string, client Client) error {
	end, err := s.failures.begin(ctx, name, client.Addr)
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
func (s *Store) SignInByToken(ctx context.Context, token string, client Client) (string, error) {
	end, err := s.failures.begin(ctx, "", client.Addr)
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
	return s.open(ctx, &opened{token: who.Name, client: client})
}

// opened is a new session, of a user or a token.
type opened struct {
	user, token string
	client      Client
	life        time.Duration // 0 is without an end
}

// open stores a new session and returns its secret. It deletes sessions that have ended.
func (s *Store) open(ctx context.Context, o *opened) (string, error) {
	user, token := sql.NullString{String: o.user, Valid: o.user != ""}, sql.NullString{String: o.token, Valid: o.token != ""}
	agent := strings.ToValidUTF8(o.client.Agent[:min(len(o.client.Agent), maxAgent)], "")
	secret, now := NewSecret(), time.Now()
	end := sql.NullInt64{Int64: millis(now.Add(o.life)), Valid: o.life > 0}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return "", fmt.Errorf("open session: %w", err)
	}
	defer tx.Rollback()
	for _, statement := range []struct {
		query string
		args  []any
	}{
		{`DELETE FROM auth_sessions WHERE seen <= ? OR expires <= ?`, []any{millis(now.Add(-SessionIdle)), millis(now)}},
		{`INSERT INTO auth_sessions (hash, user, token, seen, id, created, address, agent, expires) VALUES (?, ?, ?, ?4, lower(hex(randomblob(8))), ?4, ?, ?, ?)`,
			[]any{HashSecret(secret), user, token, millis(now), o.client.Addr.String(), agent, end}},
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
	who, ok, err = s.identify(ctx, `SELECT coalesce(u.name, t.name), coalesce(u.role, t.role), coalesce(u.origin, 'token'), coalesce(t.project, ''), s.id, coalesce(u.time_zone, '') FROM auth_sessions s
		LEFT JOIN auth_users u ON u.name = s.user LEFT JOIN auth_tokens t ON t.name = s.token AND (t.expires IS NULL OR t.expires > ?1)
		WHERE s.hash = ?2 AND s.seen > ?3 AND (s.expires IS NULL OR s.expires > ?1) AND (u.name IS NOT NULL OR t.name IS NOT NULL)`, millis(now), hash, millis(now.Add(-SessionIdle)))
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

// Session is a browser in which somebody is signed in.
type Session struct {
	ID      string // it opens nothing
	Created time.Time
	Used    time.Time // to a minute
	Client  string    // the address
	Agent   string
}

// Own is what somebody has of the own account.
type Own struct {
	store *Store
	who   *Identity
}

// Of returns what somebody has.
func (s *Store) Of(who *Identity) Own { return Own{s, who} }

// mine selects the sessions of somebody that have not ended.
const mine = ` FROM auth_sessions WHERE CASE ?1 WHEN 'token' THEN token ELSE user END = ?2 AND seen > ?3 AND (expires IS NULL OR expires > ?4)`

func (o Own) mine() []any {
	now := time.Now()
	return []any{string(o.who.Via), o.who.Name, millis(now.Add(-SessionIdle)), millis(now)}
}

// Sessions returns the sessions, the last used first.
func (o Own) Sessions(ctx context.Context) ([]*Session, error) {
	all, err := rows.All(ctx, o.store.db, func(row rows.Row) (*Session, error) {
		one := &Session{}
		var created, seen int64
		err := row.Scan(&one.ID, &created, &seen, &one.Client, &one.Agent)
		one.Created, one.Used = time.UnixMilli(created).UTC(), time.UnixMilli(seen).UTC()
		return one, err
	}, "SELECT id, created, seen, address, agent"+mine+" ORDER BY seen DESC, id", o.mine()...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return all, nil
}

// EndSession ends one session, or returns an error that wraps ErrUnknown.
func (o Own) EndSession(ctx context.Context, id string) error {
	result, err := o.store.db.ExecContext(ctx, "DELETE"+mine+" AND id = ?5", append(o.mine(), id)...)
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, fmt.Errorf("there is no session %s (%w)", id, ErrUnknown))
	}
	return nil
}

// EndOthers ends all sessions but the one of the request.
func (o Own) EndOthers(ctx context.Context) error {
	if _, err := o.store.db.ExecContext(ctx, "DELETE"+mine+" AND id <> ?5", append(o.mine(), o.who.Session)...); err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	return nil
}

// ChangePassword replaces the password of a user who knows the current one. The errors are those of
// SignIn and ChangeUser. It ends the sessions of the user but the one with a secret.
func (o Own) ChangePassword(ctx context.Context, current, next, session string, client Client) error {
	if o.who.Via != Password {
		return fmt.Errorf("change password: %w", ErrManaged)
	}
	if err := CheckPassword(next); err != nil {
		return fmt.Errorf("%w (%w)", err, ErrUsage)
	}
	if err := o.store.verify(ctx, o.who.Name, current, client); err != nil {
		return err
	}
	return o.store.ChangeUser(ctx, o.who.Name, Change{Password: &next, Session: session})
}
