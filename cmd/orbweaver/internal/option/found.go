package option

import (
	"fmt"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
)

// Permission is what a configuration may do with a key if it was found in the working directory,
// and not named by the user. It may come from a stranger: a checkout, a pull request, an unpacked
// archive. It may weaken the check of its own documents, which the stranger could change as well.
// It may not reach the user's files, secrets, accounts or network. A file that --config or
// ORBWEAVER_CONFIG names may set every key.
type Permission struct {
	use use
	why string            // the reason; for a key that is refused: what the key does, for messages
	but func(string) bool // the values that are allowed although the key is refused; nil for none
}

// use is what a found configuration may do with a key.
type use uint8

const (
	unsafe use = iota // nobody has thought about it
	allowed
	reads  // its value is a path in the working directory
	writes // the same, and the path is written
	refused
)

func allow(why string) Permission  { return Permission{use: allowed, why: why} }
func readIn(why string) Permission { return Permission{use: reads, why: why} }
func refuse(why string) Permission { return Permission{use: refused, why: why} }
func refuseBut(fine func(string) bool, why string) Permission {
	return Permission{use: refused, why: why, but: fine}
}

// Permissions that several keys have.
var (
	chooses     = allow("they choose what is read, starting from the targets that the user names")
	judges      = allow("they judge what was read; the documents themselves could be changed as well, and what they hide is counted")
	sends       = allow("what they send is written in the file; ${NAME} needs --allow-env NAME")
	looks       = allow("they look at what was read; clamd is only asked if it is there")
	rendersLess = allow("they change nothing unless the user asks for rendering")
	asLinks     = allow("a link can do no less; --deny-private of the user takes precedence")
	paces       = allow("the pace still adapts to each host")
	prints      = allow("they print; the CI system names its own files")
	ownFiles    = Permission{use: writes, why: "they are written to new files, and to those that this program wrote"}

	shortWaits     = refuseBut(isShortWait, "more than 10 minutes keep a run from ending")
	usualRates     = refuseBut(isUsualRate, "less than 6 requests an hour keep a run from ending")
	usualBodies    = refuseBut(isUsualBody, "more than 25 MiB need too much memory")
	signsIn        = refuse("it signs in with a password of the user")
	leaves         = refuse("it sends what is read to another machine")
	runs           = refuse("it runs a program")
	redirects      = refuse("it redirects all requests")
	trusts         = refuse("it changes which servers are trusted")
	sendsPasswords = refuse("it sends passwords of the user")
	identifies     = refuse("it identifies the user to servers")
	sendsToken     = refuse("it sends a token of the user")
)

// blocks are the permissions of the keys that are no flags.
var blocks = map[string]Permission{"rule": sends, "content": looks, "plugin": runs}

// isNever reports whether pages are not rendered.
func isNever(mode string) bool { return mode == "never" }

// isShortWait reports whether a duration is at most 10 minutes. The compiler reports those
// that cannot be read.
func isShortWait(text string) bool {
	d, err := quantity.ParseDuration(text)
	return err != nil || d <= 10*time.Minute
}

// isUsualRate reports whether a rate lets a host be asked every 10 minutes, or is not limited.
func isUsualRate(text string) bool {
	rate, err := quantity.ParseRate(text)
	return err != nil || rate == 0 || rate >= 6.0/3600
}

// isUsualBody reports whether a size is at most 25 MiB.
func isUsualBody(text string) bool {
	size, err := quantity.ParseSize(text)
	return err != nil || size <= 25<<20
}

// Reads reports whether the values of the key are paths in the working directory, and nothing is written there.
func (p Permission) Reads() bool { return p.use == reads }

// May returns an error that tells why a found configuration may not set a key to these values, nil if it may. Its
// working directory is dir, or that of the process if it is "".
// A switch that is set has no values.
func May(dir, key string, values []string) error {
	p, isBlock := blocks[key]
	if f := Named(Check, key); f != nil && !isBlock {
		p = f.Found
	}
	isRefused := func(value string) bool { return !p.but(value) }
	switch {
	case p.use == unsafe:
		return fmt.Errorf("%s: a configuration that was not named cannot set it, because it is not among those that are safe", key)
	case p.use == refused && (p.but == nil || len(values) == 0 || slices.ContainsFunc(values, isRefused)):
		return fmt.Errorf("%s: a configuration that was not named cannot set it, because %s", key, p.why)
	case p.use != reads && p.use != writes:
		return nil
	}
	for _, path := range values {
		if err := mayUse(dir, key, path, p.use); err != nil {
			return fmt.Errorf("%s: a configuration that was not named cannot use %s: %w", key, path, err)
		}
	}
	return nil
}
