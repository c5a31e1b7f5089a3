package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler/store"
)

type frontierOptions struct {
	addresses   store.Addresses // of the servers, in their order
	patience    time.Duration
	tls         *tls.Config // nil if no connection is encrypted
	lease       time.Duration
	log         int64
	workersHere int // requests in flight of the coordinator
	delete      bool
	maxTime     bool // --max-time was given in this session
}

func compileFrontier(c *compiler, o *options) {
	s := c.settings
	if frontierText(s) == "" {
		for _, name := range []string{"workers-here", "frontier-delete", "frontier-lease", "frontier-log"} {
			c.refuse(s.Given(name), name, "it needs --frontier")
		}
		return
	}
	f := &frontierOptions{delete: s.On("frontier-delete"), workersHere: o.crawl.Politeness.Concurrency, maxTime: s.Given("max-time")}
	o.frontier = f
	f.read(c)
	f.lease = read(c, "frontier-lease", func(text string) (time.Duration, error) {
		d, err := quantity.ParseDuration(text)
		if err == nil && d < time.Second {
			err = errors.New("use at least 1s")
		}
		return d, err
	})
	f.log = read(c, "frontier-log", func(text string) (int64, error) {
		n, err := quantity.ParseSize(text)
		if err == nil && n < 1<<20 {
			err = errors.New("use at least 1MiB")
		}
		return n, err
	})
	if s.Given("workers-here") {
		f.workersHere = read(c, "workers-here", atLeast(0))
	}
	c.refuse(s.Text("state") == "", "frontier", "it needs --state DIR, where the results are kept")
	for _, name := range []string{"watch", "since", "fix", "cache"} {
		c.refuse(s.Given(name), name, "it cannot be used with --frontier")
	}
}

// read reads the settings of the connection.
func (f *frontierOptions) read(c *compiler) {
	s := c.settings
	list, err := store.ParseAddresses(frontierText(s))
	if err != nil {
		c.refuse(true, "frontier", "%w", err)
		return
	}
	f.addresses = list
	f.patience = read(c, "frontier-patience", quantity.ParseDuration)
	lacksPassword := func(a *store.Address) bool { return !a.HasPassword() }
	if file := read(c, "frontier-password-file", parseFile); file != "" && slices.ContainsFunc(list, lacksPassword) {
		password, err := readPassword(file)
		c.refuse(err != nil, "frontier-password-file", "%w", err)
		for _, a := range list {
			if lacksPassword(a) {
				a.Password = password
			}
		}
	}
	ca := read(c, "frontier-ca-file", parseFile)
	cert, key := read(c, "frontier-client-cert", parseFile), read(c, "frontier-client-key", parseFile)
	if !slices.ContainsFunc(list, (*store.Address).TLS) {
		return
	}
	f.tls = &tls.Config{InsecureSkipVerify: s.On("frontier-insecure")}
	if ca != "" {
		text, err := os.ReadFile(ca)
		if f.tls.RootCAs, _ = x509.SystemCertPool(); f.tls.RootCAs == nil {
			f.tls.RootCAs = x509.NewCertPool()
		}
		c.refuse(err != nil || !f.tls.RootCAs.AppendCertsFromPEM(text), "frontier-ca-file", "%s contains no certificate in PEM form", ca)
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, cmp.Or(key, cert))
		c.refuse(err != nil, "frontier-client-cert", "%w", err)
		f.tls.Certificates = []tls.Certificate{pair}
	}
}

// readPassword reads a file with a password, without the line break at its end.
func readPassword(file string) (string, error) {
	in, err := os.Open(file)
	if err != nil {
		return "", withoutPath(err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxPassword+1))
	switch {
	case err != nil:
		return "", withoutPath(err)
	case len(text) > maxPassword:
		return "", errors.New("the file is too large for a password")
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// frontierText returns the addresses that are given, separated by spaces.
func frontierText(s *settings) string { return strings.Join(s.List("frontier"), " ") }

// notePassword prints a note if an address that was given on the command line has a password.
func notePassword(addresses string, note func(string, ...any)) {
	if list, err := store.ParseAddresses(addresses); err == nil && slices.ContainsFunc(list, (*store.Address).HasPassword) {
		note("the address of the frontier on the command line has a password, which other users of this machine can read in the process list; set %s instead", frontierVariable)
	}
}

// open opens the crawl on its servers. wait is told why the process waits for the server, and
// "" when it goes on.
func (f *frontierOptions) open(wait func(why string)) *store.Shared {
	return store.Redis(f.addresses, store.RedisOptions{TLS: f.tls, Patience: f.patience, Wait: wait})
}

// frontierError returns the error of a command for one of a shared crawl.
func frontierError(err error) error {
	var refused *store.RefusedError
	var exit *exitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit): // it has a status already
		return err
	case errors.As(err, &refused), errors.Is(err, store.ErrReplaced):
		return usageError("%w", err)
	}
	return unsound(err)
}

// isFrontierRefusal reports whether an error is one of usage, as frontierError says.
func isFrontierRefusal(err error) bool {
	var exit *exitError
	return errors.As(frontierError(err), &exit) && exit.code == exitUsage
}

// checkServer checks that the servers are fit for crawls, and prints what could not be checked. It
// returns whether a server loses the crawl when it is restarted.
func checkServer(f *store.Shared, note func(string, ...any)) (volatile bool, err error) {
	list, err := f.Check(noContext)
	if err != nil {
		return false, err
	}
	for i, s := range list {
		if s.Unchecked != "" {
			note("%s: %s", f.Shards()[i].Address(), s.Unchecked)
		}
		volatile = volatile || s.Volatile
	}
	return volatile, nil
}

// waitNotes returns a function for notes about a server that is waited for.
func waitNotes(note func(string, ...any), address func() string) func(why string) {
	return func(why string) {
		if why != "" {
			note("waiting for the frontier %s: %s", address(), why)
		}
	}
}

// processName is the default name of a worker.
func processName() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "worker"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}

// addressesToStore returns the addresses of a shared crawl as a state directory keeps them.
func addressesToStore(text string) string {
	list, err := store.ParseAddresses(text)
	if err != nil {
		return ""
	}
	return list.WithoutPasswords()
}
