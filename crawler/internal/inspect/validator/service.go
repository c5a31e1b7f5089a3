package validator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/helper"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

const (
	maxParallel = 4        // documents that are with the service at a time
	maxDocument = 8 << 20  // bytes of a document: what the service takes unless told otherwise
	maxAnswer   = 16 << 20 // bytes of an answer
	maxMessages = 1000     // messages of an answer that become findings
)

// ErrLost says that the service no longer answers.
var ErrLost = errors.New("the validator no longer answers")

// A Service is a Nu HTML Checker. Its methods may be called by several goroutines.
type Service struct {
	name    string // the address as it was given
	address string // with the query that asks for JSON
	client  *http.Client
	service *helper.Service
	answers answers
	java    *java // nil if the service is not ours

	timeout time.Duration // of a try
	pause   time.Duration // before the second try; doubled before the third
}

// Connect returns the service at an http or https address, such as http://127.0.0.1:8888/. An
// address that does not answer as the Nu HTML Checker does is an error.
func Connect(ctx context.Context, address string) (*Service, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		// The address may contain a password: only the reason is shown.
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return nil, fmt.Errorf("address of the validator: %w", err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("address of the validator: %q is not an http or https URL", u.Redacted())
	case u.User != nil:
		return nil, errors.New("address of the validator: a user name or password is not supported")
	}
	query := u.Query()
	query.Set("out", "json")
	u.RawQuery, u.Fragment = query.Encode(), ""
	if u.Path == "" {
		u.Path = "/"
	}
	s := &Service{
		name:    address,
		address: u.String(),
		client: &http.Client{
			Transport: &http.Transport{
				Proxy:               nil,
				DisableCompression:  true,
				MaxIdleConnsPerHost: maxParallel,
				IdleConnTimeout:     time.Minute,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		service: helper.NewService(min(maxParallel, runtime.GOMAXPROCS(0))),
		timeout: time.Minute,
		pause:   time.Second,
	}
	s.answers.init()
	if err := s.probe(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("validator %s: %w", address, err)
	}
	return s, nil
}

// Close releases the connections, and ends the program if [Launch] started it.
func (s *Service) Close() {
	s.client.CloseIdleConnections()
	if s.java != nil {
		s.java.close()
	}
}

// Lost returns why the service was given up, nil if it was not. A run that lost its validator
// has not checked all pages.
func (s *Service) Lost() error { return s.service.Lost() }

// probe asks for a document that every version finds right.
func (s *Service) probe(ctx context.Context) error {
	_, err := s.post(ctx, "text/html", []byte("<!DOCTYPE html>\n<html lang=\"en\"><title>Test</title><p>Test"))
	return err
}

// Check returns what the service finds on a page: a document of HTML or a style sheet, told
// apart by its format. Messages about CSS have the code css-syntax wherever they are. The
// error is [ErrLost] or that of the context.
func (s *Service) Check(ctx context.Context, p *page.Page) ([]judging.Finding, error) {
	if s.Lost() != nil {
		return nil, ErrLost
	}
	if len(p.Text) > maxDocument {
		return []judging.Finding{notChecked(p, fmt.Sprintf("it has more than %d MiB", maxDocument>>20))}, nil
	}
	return s.answers.get(ctx, keyOf(p), func() ([]judging.Finding, error) {
		defer s.service.Enter(ctx)()
		return s.ask(ctx, p)
	})
}

// ask sends a document up to three times.
func (s *Service) ask(ctx context.Context, p *page.Page) ([]judging.Finding, error) {
	var found []judging.Finding
	failure := s.service.Try(ctx, []time.Duration{s.pause, 2 * s.pause}, func() error {
		answer, err := s.post(ctx, mediaType(p), p.Text)
		if err == nil {
			found = findings(p, answer)
		}
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case failure == nil:
		return found, nil
	case s.Lost() != nil:
		return nil, ErrLost
	}
	if err := s.probe(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s.service.Lose(fmt.Errorf("the validator at %s was lost: %w", s.name, err))
		return nil, ErrLost
	}
	return []judging.Finding{notChecked(p, failure.Error())}, nil
}

// mediaType is the media type by which the service chooses its parser.
func mediaType(p *page.Page) string {
	switch {
	case p.Format == "css":
		return "text/css"
	case p.ContentType == "application/xhtml+xml":
		return p.ContentType
	}
	return "text/html"
}

// post sends a document and reads the answer.
func (s *Service) post(ctx context.Context, media string, body []byte) (*answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("no answer within %s", s.timeout))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", media+"; charset=utf-8")
	request.Header.Set("User-Agent", "orbweaver")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), reason(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer has status %s", response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, cmp.Or(context.Cause(ctx), reason(err))
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("the answer has more than %d MiB", maxAnswer>>20)
	}
	a := new(answer)
	if err := json.Unmarshal(text, a); err != nil || a.Messages == nil {
		return nil, errors.New("the answer is not the JSON of the Nu HTML Checker")
	}
	return a, nil
}

// reason returns what an error of the client is about, without the address.
func reason(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
