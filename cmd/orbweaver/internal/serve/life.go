package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/secret"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// Times of the server.
const (
	headTimeout = 10 * time.Second // for the head of a request
	readTimeout = time.Minute      // for its body
	idleTimeout = 2 * time.Minute  // of a connection
	// stopTimeout is the time in which answers are finished and runs are suspended.
	stopTimeout   = 8 * time.Second
	answerTimeout = 2 * time.Second // of which, for answers
)

// Lock is the lock on a data directory, which one server holds.
type Lock interface{ Release() error }

// Streams are where a server writes.
type Streams struct {
	Out io.Writer // two lines for programs: where it listens, and where to set it up
	Err io.Writer // the access log and notes
}

// OpenData makes a data directory ready: it exists, and only its owner can read it. note is
// called with what was changed.
func OpenData(dir string, note func(string, ...any)) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	const others = 0o077
	if runtime.GOOS == "windows" || info.Mode().Perm()&others == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("--data: others can read %s: %w", dir, err)
	}
	note("others could read %s: its mode is 0700 now", dir)
	return nil
}

// LockFile returns the name of the lock of a data directory.
func LockFile(dir string) string { return filepath.Join(dir, "lock") }

// Run serves until stop is closed. Then it suspends the runs and ends within ten seconds. The
// caller holds the lock of the data directory. Errors before the server listens are wrong
// usage.
func Run(ctx context.Context, s Settings, engine runs.Engine, streams Streams, stop <-chan struct{}) error {
	log := newAccessLog(streams.Err)
	db, err := store.Open(s.Data)
	if err != nil {
		return err
	}
	defer db.Close()
	noteCopy(db, log.printf)
	box, err := secret.Open(s.Data)
	if err != nil {
		return err
	}
	server := newServer(s, service.Config{Data: s.Data, Store: db, Box: box, Engine: engine, MaxRuns: s.MaxRuns, Retain: s.Retain, ReadOnly: s.ReadOnly, Version: s.Version, Policy: &s.Policy, Mail: s.Mail, Log: log.printf}, log, routes())
	if err := server.mayStart(ctx); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("--listen: %q is not allowed: %w", s.Listen, err)
	}
	if err := server.announce(ctx, listener.Addr(), streams.Out); err != nil {
		listener.Close()
		return err
	}
	return server.serve(ctx, listener, stop)
}

// mayStart refuses to serve strangers, and prepares the set-up page.
func (s *Server) mayStart(ctx context.Context) error {
	if s.settings.Mode == Open {
		s.log.printf("--auth none: everybody who reaches %s is an administrator", s.settings.Listen)
		return nil
	}
	if s.settings.Mode == Tokens {
		tokens, err := s.auth.Tokens(ctx)
		if err == nil && len(tokens) == 0 {
			err = errors.New("--auth token: there is no token: orbweaver serve token create NAME --role admin makes one")
		}
		return err
	}
	empty, err := s.auth.Empty(ctx)
	if err != nil || !empty || s.settings.Mode == SingleSignOn {
		return err
	}
	host, _, err := net.SplitHostPort(s.settings.Listen)
	if err != nil {
		return fmt.Errorf("--listen: %q is not allowed: %w", s.settings.Listen, err)
	}
	if !isLoopbackHost(strings.ToLower(host)) {
		if s.sso != nil || s.settings.Proxy.Header != "" {
			return nil // people need no account here
		}
		return errors.New("--listen: there is no user yet, and others can reach " + s.settings.Listen +
			": orbweaver serve user add NAME --role admin adds one; --auth none lets everybody in")
	}
	s.setup = s.auth.NewSetup()
	return nil
}

// announce prints where the server listens, and where it is set up.
func (s *Server) announce(ctx context.Context, at net.Addr, out io.Writer) error {
	host, _, err := net.SplitHostPort(s.settings.Listen)
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return err
	}
	if host == "" {
		host, _, _ = net.SplitHostPort(at.String())
	}
	base := "http://" + net.JoinHostPort(host, port) + prefixOf(s.settings.PublicURL)
	fmt.Fprintf(out, "listening on %s/\n", base)
	if public := s.settings.PublicURL; public != nil {
		s.service.Notices.SetBase(strings.TrimRight(public.String(), "/") + "/")
	} else {
		s.service.Notices.SetBase(base + "/")
	}
	if s.setup != nil {
		fmt.Fprintf(out, "set up at %s/setup?token=%s\n", base, s.setup.Secret())
	}
	return nil
}

// serve answers requests until stop is closed.
func (s *Server) serve(ctx context.Context, listener net.Listener, stop <-chan struct{}) error {
	if err := s.service.Manager.Start(ctx); err != nil {
		listener.Close()
		return err
	}
	following, stopFollowing := context.WithCancel(ctx)
	defer stopFollowing()
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		if !s.settings.ReadOnly {
			s.service.Schedules.Run(following)
		}
	}()
	told, summed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		if !s.settings.ReadOnly {
			go func() {
				defer close(summed)
				s.service.Digests.Run(following)
			}()
			s.service.Notices.Run(following)
			<-summed
		}
	}()
	web := &http.Server{Handler: s, ReadHeaderTimeout: headTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	web.RegisterOnShutdown(s.stop)
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	var err error
	select {
	case <-stop:
	case err = <-failed:
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	s.stop()
	stopFollowing()
	<-followed
	suspended := make(chan error, 1)
	go func() { suspended <- s.service.Manager.Shutdown(limit) }()
	answers, cancelAnswers := context.WithTimeout(limit, answerTimeout)
	defer cancelAnswers()
	if web.Shutdown(answers) != nil {
		_ = web.Close() // an answer took too long
	}
	if why := <-suspended; why != nil {
		s.log.printf("%v", why)
	}
	select {
	case <-told:
	case <-limit.Done(): // a webhook that does not answer
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// OpenAccounts opens the accounts and the audit log of a data directory, for the commands that work on
// it. The caller calls close.
func OpenAccounts(dir string, note func(string, ...any)) (accounts *auth.Store, log *audit.Log, close func() error, err error) {
	db, err := store.Open(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	noteCopy(db, note)
	return auth.New(db.DB()), &audit.Log{DB: db.DB(), Failed: func(err error) { note("%v", err) }}, db.Close, nil
}

// noteCopy tells of the copy of a database that this version has changed.
func noteCopy(db *store.Store, note func(string, ...any)) {
	if db.Copied != "" {
		note("%s is a copy of the database of the version before; secrets that are readable in it stay there until you remove it", db.Copied)
	}
}
