package evidence

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// lookup is the result of a query to the domain name system, or of the question whether a mail
// server knows an address.
type lookup struct {
	Hosts     []string `json:"hosts,omitempty"`
	Prefs     []uint16 `json:"prefs,omitempty"` // of MX records
	Addresses []net.IP `json:"addresses,omitempty"`
	Error     string   `json:"error,omitempty"`
	Missing   bool     `json:"missing,omitempty"` // the name does not exist
	Temporary bool     `json:"temporary,omitempty"`
	Timeout   bool     `json:"timeout,omitempty"`
}

// setError notes an error. The query was cut off with the run if ok is false.
func (l *lookup) setError(ctx context.Context, err error) (ok bool) {
	if err == nil {
		return true
	}
	l.Error = err.Error()
	var d *net.DNSError
	if errors.As(err, &d) {
		l.Error, l.Missing, l.Temporary, l.Timeout = d.Err, d.IsNotFound, d.IsTemporary, d.IsTimeout
	}
	return ctx.Err() == nil
}

func (l *lookup) err(name string) error {
	if l.Error == "" {
		return nil
	}
	return &net.DNSError{Err: l.Error, Name: name, IsNotFound: l.Missing, IsTemporary: l.Temporary, IsTimeout: l.Timeout}
}

// lookupURI is the WARC-Target-URI of a query (RFC 4501).
func lookupURI(method, name string) string { return "dns:" + name + "?type=" + method }

// keptResolver keeps the answers of a resolver.
type keptResolver struct {
	k  *Keeper
	of fetch.Resolver
}

// Resolver returns a resolver that keeps what another one answers.
func (k *Keeper) Resolver(of fetch.Resolver) fetch.Resolver { return &keptResolver{k, of} }

func (r *keptResolver) LookupMX(ctx context.Context, name string) ([]*net.MX, error) {
	at := time.Now()
	records, err := r.of.LookupMX(ctx, name)
	l := &lookup{}
	for _, mx := range records {
		l.Hosts, l.Prefs = append(l.Hosts, mx.Host), append(l.Prefs, mx.Pref)
	}
	r.keep(ctx, "MX", name, at, l, err)
	return records, err
}

func (r *keptResolver) LookupIP(ctx context.Context, network, host string) ([]net.IP, error) {
	at := time.Now()
	addresses, err := r.of.LookupIP(ctx, network, host)
	r.keep(ctx, network, host, at, &lookup{Addresses: addresses}, err)
	return addresses, err
}

func (r *keptResolver) keep(ctx context.Context, method, name string, at time.Time, l *lookup, err error) {
	asker := traffic.AskerOf(ctx, urinorm.URL{})
	if !l.setError(ctx, err) || asker.URL.IsZero() {
		return
	}
	e := &event{Format: format, Kind: "answer", Method: method, Lookup: l, facts: facts{For: r.k.mask.url(asker.URL.Printed())}}
	r.k.appendEvent(lookupURI(method, name), at, e)
}

// Probe returns a prober that asks another one, and keeps whether mail servers know an address.
func (k *Keeper) Probe(of fetch.MailProber) fetch.MailProber { return keptProber{of, k} }

// keptProber keeps what mail servers answer.
type keptProber struct {
	fetch.MailProber
	k *Keeper
}

// ProbeMail is a method of fetch.MailProber.
func (p keptProber) ProbeMail(ctx context.Context, address urinorm.Address) error {
	at := time.Now()
	err := p.MailProber.ProbeMail(ctx, address)
	asker := traffic.AskerOf(ctx, urinorm.URL{})
	if ctx.Err() != nil || asker.URL.IsZero() {
		return err
	}
	e := &event{Format: format, Kind: "answer", Method: "RCPT", Lookup: &lookup{}, facts: facts{For: p.k.mask.url(asker.URL.Printed())}}
	var failed *fetch.Fault
	if errors.As(err, &failed) {
		e.setFault(p.k.mask, failed)
	}
	p.k.appendEvent("mailto:"+address.String(), at, e)
	return err
}

// replayedResolver answers what was kept.
type replayedResolver struct{ a *Archive }

// Resolver returns a resolver that asks nobody.
func (a *Archive) Resolver() fetch.Resolver { return replayedResolver{a} }

func (r replayedResolver) LookupMX(ctx context.Context, name string) ([]*net.MX, error) {
	l, err := r.find(ctx, "MX", name)
	if err != nil {
		return nil, err
	}
	var records []*net.MX
	for i, host := range l.Hosts[:min(len(l.Hosts), len(l.Prefs))] {
		records = append(records, &net.MX{Host: host, Pref: l.Prefs[i]})
	}
	return records, l.err(name)
}

func (r replayedResolver) LookupIP(ctx context.Context, network, host string) ([]net.IP, error) {
	l, err := r.find(ctx, network, host)
	if err != nil {
		return nil, err
	}
	return l.Addresses, l.err(host)
}

// notKept returns the error of a query whose answer was not kept.
func (a *Archive) notKept() error {
	return &fetch.Fault{Kind: fetch.EvidenceMissing, Op: "look up", Err: a.missingError()}
}

func (r replayedResolver) find(ctx context.Context, method, name string) (*lookup, error) {
	e, _ := r.a.event(ctx, lookupURI(method, name))
	if e == nil || e.Lookup == nil {
		return nil, r.a.notKept()
	}
	return e.Lookup, nil
}

// Probe answers what was kept about a mail address.
func (a *Archive) ProbeMail(ctx context.Context, address urinorm.Address) error {
	e, x := a.event(ctx, "mailto:"+address.String())
	switch {
	case e == nil:
		return a.notKept()
	case e.facts.Fault != nil:
		return e.facts.Fault.fault(x.requests)
	}
	return nil
}

// event returns the next event that was kept of an address that is no URL of a target, nil if
// there is none.
func (a *Archive) event(ctx context.Context, uri string) (*event, keptExchange) {
	asker := traffic.AskerOf(ctx, urinorm.URL{})
	r := a.begin(keyOf(asker.URL.Printed(), uri, false), uri)
	if r == nil {
		return nil, keptExchange{}
	}
	x := r.list[0]
	m, err := x.open(a.files[x.file])
	if err != nil {
		return nil, x
	}
	e, err := readEvent(m)
	if err != nil {
		return nil, x
	}
	return e, x
}
