package notify

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Tries to send an event, and the time that one may take.
const (
	maxTries = 3
	tryTime  = 15 * time.Second
)

// maxAfter is the longest pause that a server may ask for.
const maxAfter = time.Minute

// Pauses between tries. Somebody waits for a test.
var (
	eventPauses = [maxTries - 1]time.Duration{2 * time.Second, 15 * time.Second}
	testPauses  = [maxTries - 1]time.Duration{500 * time.Millisecond, time.Second}
)

// Result is how the delivery of an event ended.
type Result struct {
	Delivered bool
	Status    int    // of the last answer, or 0
	Error     string // why it was not delivered
	Again     bool   // another try may help
	// After is how long the server wants to wait for another try, at most maxAfter.
	After time.Duration
}

// MarshalJSON returns the shape of the API, in which what is unknown is null.
func (r Result) MarshalJSON() ([]byte, error) {
	shape := struct {
		Delivered bool    `json:"delivered"`
		Status    *int    `json:"status"`
		Error     *string `json:"error"`
	}{Delivered: r.Delivered}
	if r.Status != 0 {
		shape.Status = &r.Status
	}
	if r.Error != "" {
		shape.Error = &r.Error
	}
	return json.Marshal(shape)
}

// Sender sends events. It is safe for concurrent use.
type Sender struct {
	client *http.Client
	agent  string
	mail   *Mailer
}

// NewSender returns a Sender. agent is its User-Agent; mail is nil if the server cannot
// send mail.
func NewSender(policy *fetch.AddressPolicy, agent string, mail *Mailer) *Sender {
	dialer := &net.Dialer{Timeout: tryTime, Control: policy.Control}
	return &Sender{agent: agent, mail: mail, client: &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would connect to addresses that the policy denies
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    tryTime,
			ResponseHeaderTimeout:  tryTime,
			MaxResponseHeaderBytes: 64 << 10,
			DisableKeepAlives:      true,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       tryTime,
	}}
}

// Send sends an event to a target. It tries three times if another try may help. When the
// context ends, the try in progress is finished, and no other is made.
func (s *Sender) Send(ctx context.Context, target *Target, event *Event) Result {
	pauses := eventPauses
	if event.Kind == Test {
		pauses = testPauses
	}
	id := newTransaction()
	return retry(ctx, pauses, func() (Result, bool) { return s.try(ctx, target, event, id) })
}

// retry tries something until it is delivered, another try would not help, or the pauses are over.
func retry(ctx context.Context, pauses [maxTries - 1]time.Duration, send func() (Result, bool)) Result {
	for try := 0; ; try++ {
		result, again := send()
		result.Again = again
		if result.Delivered || !again || try == len(pauses) {
			return result
		}
		timer := time.NewTimer(max(pauses[try], result.After))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return result
		}
	}
}

// noMail is the result if the server cannot send mail.
var noMail = Result{Error: "this server cannot send mail: its administrator has to set --smtp"}

// newTransaction returns an identifier of a message, by which a server knows that it has it.
func newTransaction() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// try sends an event once, with the identifier of its message. again is true if another try may help.
func (s *Sender) try(ctx context.Context, target *Target, event *Event, id string) (result Result, again bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryTime)
	defer cancel()
	out := &outgoing{url: target.URL, header: map[string]string{"X-Orbweaver-Event": string(event.Kind)}}
	switch target.Type {
	case "webhook":
		out.body = event
	case "slack":
		out.body = map[string]string{"text": slackText(event)}
	case "email":
		if s.mail == nil {
			return noMail, false
		}
		return s.mail.send(ctx, target.To, &letter{title: event.Title(), text: event.Text(), html: htmlText(event)})
	}
	if c, ok := channels[target.Type]; ok {
		var err error
		if out, err = c.request(target, event, id); err != nil {
			return Result{Error: err.Error()}, false
		}
	}
	if out.body == nil {
		return Result{Error: "unknown type " + target.Type}, false
	}
	body, err := json.Marshal(out.body)
	if err != nil {
		return Result{Error: err.Error()}, false
	}
	if target.Secret != "" {
		out.header[SignatureHeader] = Sign(target.Secret, body)
	}
	return s.request(ctx, out, body, target.Token)
}
