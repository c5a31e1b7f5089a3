// Package client lets `orbweaver check --server` use a server: it finds or creates the project,
// runs it, follows the run, and fetches the report.
package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// Client talks to one server.
type Client struct {
	base  string // of the API, without a final slash
	token string
	http  *http.Client
}

// New returns a client for the server at a URL, to which the token is sent. The token is sent
// in the clear only to loopback addresses.
func New(server, token string, isLoopback func(host string) bool) (*Client, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("use the http or https URL of a server, such as https://example.com/links/")
	}
	if u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return nil, errors.New("use https: the token would be sent in clear text")
	}
	return &Client{base: strings.TrimRight(u.String(), "/") + "/api/v1", token: token, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token is for this server
	}}, nil
}

// do sends a request. An answer of another status than want is an error, an *api.Problem if the
// server says so.
func (c *Client) do(ctx context.Context, method, path string, body any, want int) (*http.Response, error) {
	var in io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, in)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == want {
		return res, nil
	}
	defer res.Body.Close()
	problem := &api.Problem{}
	text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // what cannot be read is not shown
	if json.Unmarshal(text, problem) != nil || problem.Status == 0 {
		return nil, fmt.Errorf("%s %s: the server answered %s: is it an Orbweaver server?", method, req.URL, res.Status)
	}
	return nil, problem
}

// call is do for JSON.
func (c *Client) call(ctx context.Context, method, path string, body any, want int, into any) error {
	res, err := c.do(ctx, method, path, body, want)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return json.NewDecoder(res.Body).Decode(into)
}

// Project returns the id of the project with the targets and options. If there is none, it is
// created with a name. shown are the targets without passwords. Secrets cannot be compared, because
// the server never shows them: a project in which all else is the same gets the given ones. kept
// reports that it keeps its own, because that takes an administrator.
func (c *Client) Project(ctx context.Context, name string, targets, shown []string, options map[string]any) (id string, kept bool, err error) {
	wanted, err := normal(options)
	if err != nil {
		return "", false, err
	}
	for after := ""; ; {
		var list api.List[api.Project]
		if err := c.call(ctx, http.MethodGet, "/projects?limit=1000&after="+url.QueryEscape(after), nil, http.StatusOK, &list); err != nil {
			return "", false, err
		}
		for i := range list.Items {
			p := &list.Items[i]
			has, err := normal(p.Options)
			if err != nil {
				return "", false, err
			}
			if p.URLs != 0 || !slices.Equal(p.Targets, shown) || !reflect.DeepEqual(has, wanted) {
				continue
			}
			if wanted["header"] == nil && wanted["user"] == nil && slices.Equal(shown, targets) {
				return p.ID, false, nil
			}
			kept, err := c.replaceSecrets(ctx, p.ID, targets, options)
			return p.ID, kept, err
		}
		if list.Next == nil {
			break
		}
		after = *list.Next
	}
	var made api.Project
	err = c.call(ctx, http.MethodPost, "/projects", map[string]any{"name": name, "targets": targets, "options": options}, http.StatusCreated, &made)
	return made.ID, false, err
}

// replaceSecrets gives a project the targets and options with their secrets, unless it may not.
func (c *Client) replaceSecrets(ctx context.Context, id string, targets []string, options map[string]any) (kept bool, err error) {
	var changed api.Project
	err = c.call(ctx, http.MethodPatch, "/projects/"+url.PathEscape(id), map[string]any{"targets": targets, "options": options}, http.StatusOK, &changed)
	var problem *api.Problem
	if errors.As(err, &problem) && problem.Status == http.StatusForbidden {
		return true, nil
	}
	return false, err
}

// normal returns options in one spelling, with secrets hidden: {"depth": 3} means the same as
// {"depth": "3"}, a list of one value the same as the value, and false the same as nothing.
func normal(options map[string]any) (map[string]any, error) {
	text, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	var given map[string]any
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for name, value := range given {
		switch value := value.(type) {
		case bool:
			if value {
				out[name] = true
			}
		case []any:
			texts := make([]string, len(value))
			for i := range value {
				texts[i] = fmt.Sprint(value[i])
			}
			out[name] = texts
		default:
			out[name] = []string{fmt.Sprint(value)}
		}
	}
	for _, secret := range []string{"header", "user"} {
		if _, given := out[secret]; given {
			out[secret] = "***"
		}
	}
	return out, nil
}

// Start starts a run of a project, or returns the one that is queued or running.
func (c *Client) Start(ctx context.Context, project string) (*api.Run, error) {
	var r api.Run
	err := c.call(ctx, http.MethodPost, "/projects/"+url.PathEscape(project)+"/runs", nil, http.StatusAccepted, &r)
	var problem *api.Problem
	if !errors.As(err, &problem) || problem.Status != http.StatusConflict {
		return &r, err
	}
	var list api.List[api.Run]
	if err := c.call(ctx, http.MethodGet, "/projects/"+url.PathEscape(project)+"/runs?limit=1", nil, http.StatusOK, &list); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		return nil, problem
	}
	return &list.Items[0], nil
}

// Times of following a run.
const (
	maxSilence = 45 * time.Second // the server sends a comment every 15 s
	maxPause   = 10 * time.Second // between two tries to reach it
	maxTries   = 10               // in a row without an answer
)

// Follow waits until a run is over, and calls progress meanwhile. It outlives broken
// connections and restarts of the server.
func (c *Client) Follow(ctx context.Context, run string, progress func(api.Progress)) (*api.Run, error) {
	after, tries := "", 0
	for {
		var r api.Run
		err := c.call(ctx, http.MethodGet, "/runs/"+url.PathEscape(run), nil, http.StatusOK, &r)
		var problem *api.Problem
		switch {
		case err == nil && r.State.Over() && (r.InterruptedBy == nil || *r.InterruptedBy != "shutdown"):
			return &r, nil
		case err == nil:
			tries = 0
			last, streamErr := c.stream(ctx, run, after, progress)
			after = last
			err = streamErr
		case errors.As(err, &problem) && problem.Status < 500:
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if tries++; err != nil && tries >= maxTries {
			return nil, err
		}
		if err := sleep(ctx, min(maxPause, time.Duration(tries)*200*time.Millisecond)); err != nil {
			return nil, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stream reads events until the stream ends, and returns the id of the last one.
func (c *Client) stream(ctx context.Context, run, after string, progress func(api.Progress)) (last string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	res, err := c.do(ctx, http.MethodGet, "/runs/"+url.PathEscape(run)+"/events?after="+url.QueryEscape(after), nil, http.StatusOK)
	if err != nil {
		return after, err
	}
	defer res.Body.Close()
	silence := time.AfterFunc(maxSilence, cancel)
	defer silence.Stop()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 16<<20)
	kind := ""
	for lines.Scan() {
		silence.Reset(maxSilence)
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			after = value
		case "event":
			kind = value
		case "data":
			var p api.Progress
			if kind == "progress" && json.Unmarshal([]byte(value), &p) == nil {
				progress(p)
			}
		}
	}
	return after, lines.Err()
}

// Report writes the report of a run.
func (c *Client) Report(ctx context.Context, run, format, show string, w io.Writer) error {
	res, err := c.do(ctx, http.MethodGet, "/runs/"+url.PathEscape(run)+"/report?format="+url.QueryEscape(format)+"&show="+url.QueryEscape(show), nil, http.StatusOK)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(w, res.Body); err != nil {
		return fmt.Errorf("fetch the report: %w", err)
	}
	return nil
}
