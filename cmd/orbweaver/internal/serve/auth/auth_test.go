package auth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	_ "modernc.org/sqlite"
)

var here = Client{Addr: netip.MustParseAddr("192.0.2.7")}

// newStore returns the store of a new database, and opens it again for a second one, as
// another process would.
func newStore(t testing.TB) (first, second *Store) {
	t.Helper()
	name := "file:" + filepath.ToSlash(filepath.Join(t.TempDir(), "serve.db")) + "?_pragma=foreign_keys(1)&_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)"
	open := func() *Store {
		db, err := sql.Open("sqlite", name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return New(db)
	}
	first = open()
	if _, err := first.db.Exec(Schema + Profiles + Digested); err != nil {
		t.Fatal(err)
	}
	return first, open()
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestMain makes hashes cheap, because tests compute many.
func TestMain(m *testing.M) {
	parameters = phc{memory: 8, time: 1, threads: 1}
	m.Run()
}

func TestUsers(t *testing.T) {
	s, other := newStore(t)
	ctx := t.Context()
	if empty := must[bool](t)(s.Empty(ctx)); !empty {
		t.Error("a new store is not empty")
	}
	for _, row := range []struct {
		name, password string
		ok             bool
	}{
		{"ada", "correct horse", true}, {"ada", "another one", false}, {"Ada", "12345678", true}, {"short", "1234567", false}, {"long", strings.Repeat("x", MaxPassword), true},
		{"longer", strings.Repeat("x", MaxPassword+1), false}, {"", "12345678", false}, {"a b", "12345678", false}, {"a\n", "12345678", false}, {"ä", "12345678", false},
		{strings.Repeat("a", 64), "12345678", true}, {strings.Repeat("a", 65), "12345678", false}, {"x._@-9", "12345678", true},
	} {
		err := s.AddUser(ctx, row.name, row.password, Editor)
		if (err == nil) != row.ok || err != nil && !errors.Is(err, ErrUsage) {
			t.Errorf("add %q: %v", row.name, err)
		}
	}
	users := must[[]*User](t)(other.Users(ctx))
	got := ""
	for _, u := range users {
		got += fmt.Sprintf("%.5s %s %s, ", u.Name, u.Role, u.Via)
	}
	if got != "Ada editor password, aaaaa editor password, ada editor password, long editor password, x._@- editor password, " {
		t.Errorf("users: %s", got)
	}
	if err := other.RemoveUser(ctx, "Ada", true); err != nil {
		t.Error(err)
	}
	if err := s.RemoveUser(ctx, "Ada", true); !errors.Is(err, ErrUsage) {
		t.Errorf("removing twice: %v", err)
	}
}

func TestLastAdmin(t *testing.T) {
	s, other := newStore(t)
	ctx := t.Context()
	if err := s.AddFirstUser(ctx, "root", "12345678"); err != nil {
		t.Fatal(err)
	}
	if err := other.AddFirstUser(ctx, "second", "12345678"); !errors.Is(err, ErrUsage) {
		t.Errorf("a second first user: %v", err)
	}
	if err := s.RemoveUser(ctx, "root", true); !errors.Is(err, ErrLastAdmin) {
		t.Errorf("the last administrator: %v", err)
	}
	must[string](t)(s.CreateToken(ctx, Token{Name: "weak", Role: Editor}))
	must[string](t)(s.CreateToken(ctx, Token{Name: "old", Role: Admin, Expires: time.Now().Add(-time.Second)}))
	if err := s.RemoveUser(ctx, "root", true); !errors.Is(err, ErrLastAdmin) {
		t.Errorf("an editor's and an expired token do not count: %v", err)
	}
	must[string](t)(s.CreateToken(ctx, Token{Name: "strong", Role: Admin}))
	if err := s.RemoveUser(ctx, "root", true); err != nil {
		t.Error(err)
	}
	must[bool](t)(true, s.AddUser(ctx, "one", "12345678", Admin))
	must[bool](t)(true, s.AddUser(ctx, "two", "12345678", Admin))
	must[bool](t)(true, s.RemoveToken(ctx, "strong"))
	if err := s.RemoveUser(ctx, "one", true); err != nil {
		t.Error(err)
	}
}

func TestTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, other := newStore(t)
		ctx := t.Context()
		secret := must[string](t)(s.CreateToken(ctx, Token{Name: "ci", Role: Editor, Expires: time.Now().Add(2 * time.Second)}))
		forever := must[string](t)(s.CreateToken(ctx, Token{Name: "cron", Role: Viewer}))
		if !regexp.MustCompile(`^[A-Za-z0-9_-]{24,}$`).MatchString(secret) || secret == forever {
			t.Errorf("the secrets are %s and %s", secret, forever)
		}
		if _, err := s.CreateToken(ctx, Token{Name: "ci", Role: Editor}); !errors.Is(err, ErrUsage) {
			t.Errorf("a taken name: %v", err)
		}
		who, ok, err := other.ByToken(ctx, secret)
		if (who.Name != "ci" || who.Role != Editor) || !ok || err != nil {
			t.Errorf("%v %v %v", who, ok, err)
		}
		session := must[string](t)(s.SignInByToken(ctx, secret, here))
		if who, ok, err := other.BySession(ctx, session); (who.Name != "ci" || who.Role != Editor) || !ok || err != nil {
			t.Errorf("session: %v %v %v", who, ok, err)
		}
		for _, wrong := range []string{"", "x", secret + "x", secret[1:], strings.ToLower(secret)} {
			if _, ok, err := s.ByToken(ctx, wrong); ok || err != nil {
				t.Errorf("%q: %v %v", wrong, ok, err)
			}
		}
		if _, err := s.SignInByToken(ctx, secret+"x", here); err != ErrWrongCredentials {
			t.Error(err)
		}
		time.Sleep(2 * time.Second)
		if _, ok, _ := s.ByToken(ctx, secret); ok {
			t.Error("the token has not expired")
		}
		if _, ok, _ := s.BySession(ctx, session); ok {
			t.Error("the session outlived its token")
		}
		tokens := must[[]Token](t)(s.Tokens(ctx))
		if len(tokens) != 2 || tokens[0].Expires.IsZero() || !tokens[1].Expires.IsZero() {
			t.Errorf("tokens: %v", tokens)
		}
		session = must[string](t)(s.SignInByToken(ctx, forever, here))
		if err := other.RemoveToken(ctx, "cron"); err != nil {
			t.Error(err)
		}
		if _, ok, _ := s.ByToken(ctx, forever); ok {
			t.Error("a removed token counts")
		}
		if _, ok, _ := s.BySession(ctx, session); ok {
			t.Error("a session of a removed token counts")
		}
		if err := s.RemoveToken(ctx, "cron"); !errors.Is(err, ErrUsage) {
			t.Error(err)
		}
		var stored string
		s.db.QueryRow(`SELECT group_concat(hex(hash)) FROM auth_tokens`).Scan(&stored)
		if strings.Contains(stored, secret) {
			t.Error("the secret is stored")
		}
	})
}

func TestSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, other := newStore(t)
		ctx := t.Context()
		must[bool](t)(true, s.AddUser(ctx, "ada", "correct horse", Editor))
		must[bool](t)(true, s.AddUser(ctx, "bob", "correct horse", Admin))
		first := must[string](t)(s.SignIn(ctx, "ada", "correct horse", here))
		second := must[string](t)(s.SignIn(ctx, "ada", "correct horse", here))
		check := func(session string, want bool) {
			t.Helper()
			if who, ok, err := other.BySession(ctx, session); ok != want || err != nil || ok && (who.Name != "ada" || who.Role != Editor) {
				t.Errorf("%v %v %v", who, ok, err)
			}
		}
		check(first, true)
		check(second, true)
		check(first+"x", false)
		check("", false)
		if err := s.SignOut(ctx, first); err != nil {
			t.Error(err)
		}
		check(first, false)
		time.Sleep(SessionIdle - time.Minute)
		check(second, true)
		time.Sleep(SessionIdle - time.Minute)
		check(second, true)
		time.Sleep(SessionIdle)
		check(second, false)
		third := must[string](t)(s.SignIn(ctx, "ada", "correct horse", here))
		var n int
		if s.db.QueryRow(`SELECT count(*) FROM auth_sessions`).Scan(&n); n != 1 {
			t.Errorf("%d sessions are stored", n)
		}
		for range maxSessions {
			time.Sleep(time.Second)
			s.SignIn(ctx, "ada", "correct horse", here)
		}
		check(third, false)
		last := must[string](t)(s.SignIn(ctx, "ada", "correct horse", here))
		if err := other.RemoveUser(ctx, "ada", true); err != nil {
			t.Error(err)
		}
		check(last, false)
		must[bool](t)(true, s.AddUser(ctx, "ada", "correct horse", Editor))
		check(last, false)
	})
}

func TestSignInLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newStore(t)
		ctx := t.Context()
		must[bool](t)(true, s.AddUser(ctx, "ada", "correct horse", Editor))
		must[bool](t)(true, s.AddUser(ctx, "bob", "correct horse", Editor))
		in := func(name, password, client string) error {
			_, err := s.SignIn(ctx, name, password, Client{Addr: netip.MustParseAddr(client)})
			return err
		}
		for i := range maxFailuresByName {
			if err := in("ada", "correct hose", fmt.Sprintf("192.0.2.%d", i)); err != ErrWrongCredentials {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		var limit *LimitError
		if err := in("ada", "correct horse", "192.0.2.99"); !errors.As(err, &limit) || limit.After != 10*time.Second {
			t.Errorf("the right password after five wrong ones: %v", err)
		}
		if err := in("bob", "correct horse", "192.0.2.99"); err != nil {
			t.Errorf("another name: %v", err)
		}
		time.Sleep(limit.After)
		if err := in("ada", "correct horse", "192.0.2.99"); err != nil {
			t.Errorf("after the minute: %v", err)
		}
		// One client, many names that nobody has.
		time.Sleep(limitWindow)
		for i := range maxFailuresByAddress {
			if _, err := s.SignInByToken(ctx, fmt.Sprint(i), Client{Addr: netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i))}); err != ErrWrongCredentials {
				t.Fatal(i, err)
			}
		}
		if err := in("ada", "correct horse", "2001:db8::ffff"); !errors.As(err, &limit) || limit.After != limitWindow {
			t.Errorf("the address: %v", err)
		}
		if err := in("ada", "correct horse", "2001:db8:0:1::1"); err != nil {
			t.Errorf("another network: %v", err)
		}
		if err := in("ada", "correct horse", "::ffff:192.0.2.7"); err != nil {
			t.Errorf("another client: %v", err)
		}
		for range 3 * maxFailuresByAddress { // right passwords never count
			if err := in("ada", "correct horse", "192.0.2.8"); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Many sign-ins at a time are counted like one after the other.
func TestSignInAtOnce(t *testing.T) {
	s, _ := newStore(t)
	must[bool](t)(true, s.AddUser(t.Context(), "ada", "correct horse", Editor))
	const n = 50
	results := make(chan error, n)
	for i := range n {
		go func() {
			_, err := s.SignIn(context.Background(), "ada", "wrong", Client{Addr: netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})})
			results <- err
		}()
	}
	wrong := 0
	for range n {
		if err := <-results; err == ErrWrongCredentials {
			wrong++
		}
	}
	if wrong != maxFailuresByName {
		t.Errorf("%d passwords were tried", wrong)
	}
}

// Sign-ins with the right password wait for each other, and none of them counts.
func TestSignInsWait(t *testing.T) {
	s, _ := newStore(t)
	must[bool](t)(true, s.AddUser(t.Context(), "ada", "correct horse", Editor))
	const n = 4 * maxFailuresByName
	results := make(chan error, n)
	for range n {
		go func() {
			_, err := s.SignIn(context.Background(), "ada", "correct horse", Client{Addr: netip.MustParseAddr("192.0.2.1")})
			results <- err
		}()
	}
	for range n {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// A sign-in waits at most maxTurn for others, and not when too many wait.
func TestTurnIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l limiter
		client := netip.MustParseAddr("192.0.2.1")
		for range maxFailuresByName {
			if _, err := l.begin(t.Context(), "ada", client); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		results := make(chan error)
		for range maxWaiting {
			go func() {
				_, err := l.begin(t.Context(), "ada", client)
				results <- err
			}()
		}
		synctest.Wait()
		var limit *LimitError
		if _, err := l.begin(t.Context(), "ada", client); !errors.As(err, &limit) || time.Since(began) > 0 {
			t.Errorf("one more than may wait: %v after %v", err, time.Since(began))
		}
		for range maxWaiting {
			if err := <-results; !errors.As(err, &limit) || limit.After != time.Second {
				t.Errorf("after the wait: %v", err)
			}
		}
		if waited := time.Since(began); waited != maxTurn {
			t.Errorf("they waited %v", waited)
		}
	})
}

func TestPasswordHash(t *testing.T) {
	ctx, cheap := t.Context(), parameters
	parameters = phc{memory: 19 << 10, time: 2, threads: 1}
	defer func() { parameters = cheap }()
	hash := must[string](t)(hashPassword(ctx, "correct horse"))
	if right, err := verifyPassword(ctx, hash, "correct horse"); !right || err != nil {
		t.Errorf("%v %v", right, err)
	}
	if right, err := verifyPassword(ctx, hash, "correct hors"); right || err != nil {
		t.Errorf("a wrong password: %v %v", right, err)
	}
	if right, err := verifyPassword(ctx, "", strings.Repeat("\x00", 8)); right || err != nil {
		t.Errorf("no user: %v %v", right, err)
	}
	for _, damaged := range []string{"x", "$argon2id$v=19$m=19456,t=2,p=1$AAAA", strings.Replace(hash, "m=19456", "m=1945600", 1), strings.Replace(hash, "t=2", "t=0", 1), strings.Replace(hash, "p=1", "p=0", 1), strings.Replace(hash, "argon2id", "argon2i", 1), hash[:70]} {
		if right, err := verifyPassword(ctx, damaged, "correct horse"); right || err == nil {
			t.Errorf("%s: %v %v", damaged, right, err)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for range maxHashes {
		hashing <- struct{}{}
	}
	if _, err := hashPassword(ended, "correct horse"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for range maxHashes {
		<-hashing
	}
}

func FuzzParsePHC(f *testing.F) {
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := parsePHC(s); err == nil && (p.memory > 256<<10 || p.time > 16 || len(p.key) > 64) {
			t.Fatalf("%q is expensive", s)
		}
	})
}

func TestSetup(t *testing.T) {
	s, other := newStore(t)
	ctx := t.Context()
	setup := s.NewSetup()
	open := func(secret string) bool { return must[bool](t)(setup.Open(ctx, secret)) }
	if !open(setup.Secret()) || open("") || open(setup.Secret()+"x") || s.NewSetup().Secret() == setup.Secret() {
		t.Error("the secret of the set-up")
	}
	if ok, err := (*Setup)(nil).Open(ctx, ""); ok || err != nil {
		t.Error("a set-up that does not exist is open")
	}
	must[string](t)(other.CreateToken(ctx, Token{Name: "x", Role: Viewer}))
	if open(setup.Secret()) {
		t.Error("the set-up is open although there is a token")
	}
	if err := s.AddFirstUser(ctx, "root", "12345678"); !errors.Is(err, ErrUsage) {
		t.Errorf("a first user although there is a token: %v", err)
	}
}

func TestRoles(t *testing.T) {
	for _, role := range []Role{Viewer, Editor, Admin} {
		if again, err := ParseRole(role.String()); again != role || err != nil {
			t.Errorf("%v: %v %v", role, again, err)
		}
	}
	for _, name := range []string{"", "Admin", "root"} {
		if _, err := ParseRole(name); err == nil {
			t.Errorf("%q is a role", name)
		}
	}
	if !(Viewer < Editor && Editor < Admin) {
		t.Error("the order of the roles")
	}
}
