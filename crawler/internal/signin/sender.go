package signin

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/formlogin"
	"github.com/orbweaver/orbweaver/crawler/internal/render"
	"github.com/orbweaver/orbweaver/crawler/session"
)

// Client sends what sessions ask for. It may be another one than that of the crawl.
type Client struct {
	Fetch   fetch.Fetcher    // has the cookies of the sessions
	Browser *render.Renderer // fills in the forms of the logins that want that; nil if there is none
}

// Sender sends what one session asks for.
type Sender struct {
	client Client
	door   *admit.Door
	sent   atomic.Int64 // requests; a browser may send several at once
}

// NewSender returns a sender with a client.
func NewSender(c Client) *Sender { return &Sender{client: c, door: admit.Single(c.Fetch)} }

// send sends a request of a session. No rule of the door applies but that for addresses, which
// package fetch enforces.
func (s *Sender) send(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	resp, err := s.door.Get(ctx, admit.Session, req)
	if err == nil {
		s.sent.Add(int64(resp.Requests))
	}
	return resp, err
}

// Try signs in to a session that nobody uses afterwards. The error is a *session.Failure, or that of the
// context.
func (s *Sender) Try(ctx context.Context, login *session.Login, trace io.Writer) (session.SignedIn, error) {
	to := formlogin.New(login, formlogin.Options{Trace: trace})
	proof, err := s.SignIn(ctx, to)
	done := session.SignedIn{LeftAlone: to.LeaveAlone()}
	if err == nil {
		if done.Page = proof.Page; !proof.Proven {
			done.Doubt = proof.Doubt()
		}
	}
	return done, err
}

// SignIn signs in and proves it. The error is a *session.Failure, or that of the context.
func (s *Sender) SignIn(ctx context.Context, to *formlogin.Session) (*formlogin.Proof, error) {
	signIn, failure := to.SignIn()
	if failure != nil {
		return nil, failure
	}
	var err error
	if b := signIn.Browsing(); b != nil {
		err = s.browse(ctx, b)
	}
	ask, proof, failure := signIn.Next(nil, err)
	for ask != nil && ctx.Err() == nil {
		ask, proof, failure = signIn.Next(s.send(ctx, ask))
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case failure != nil:
		return nil, failure
	}
	return proof, nil
}

// browse lets the browser fill in the forms of a sign-in.
func (s *Sender) browse(ctx context.Context, b *formlogin.Browsing) error {
	if s.client.Browser == nil {
		return errors.New("there is no browser")
	}
	tab, err := s.client.Browser.OpenForms(ctx, b.URL().String())
	if err != nil {
		return err
	}
	var passing sync.WaitGroup
	defer passing.Wait()
	defer tab.Close()
	for {
		ask, err := tab.Next(ctx)
		switch {
		case ask == nil:
			return err
		case ask.Type == render.Form:
			var r render.Reply
			if r.Values, r.Press, err = b.Fill(ask.URL, ask.Document); err != nil {
				return err
			}
			tab.Reply(ask, r)
		default:
			passing.Go(func() {
				resp, err := s.pass(ctx, b, ask.Sent)
				tab.Reply(ask, render.Reply{Passed: resp, Refused: err != nil})
			})
		}
	}
}

// pass sends what a request of the browser stands for.
func (s *Sender) pass(ctx context.Context, b *formlogin.Browsing, r *http.Request) (*http.Response, error) {
	req, err := b.Request(r)
	if err != nil {
		return nil, err
	}
	resp, err := s.send(ctx, req)
	if err != nil {
		return nil, err
	}
	return b.Answer(r, req, resp)
}

// standing reports whether a session was lost.
func (s *Sender) standing(ctx context.Context, of *formlogin.Session) formlogin.Standing {
	proving, ask := of.Prove()
	standing := formlogin.Public
	for ask != nil {
		ask, standing = proving.Next(s.send(ctx, ask))
	}
	return standing
}

// removesLost reports whether the site removes the cookies of sessions that ended before.
func (s *Sender) removesLost(ctx context.Context, of *formlogin.Session) bool {
	ask := of.LostCookies()
	if ask == nil {
		return true
	}
	return of.RemovesLost(s.send(ctx, ask))
}
