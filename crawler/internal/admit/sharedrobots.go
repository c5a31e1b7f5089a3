package admit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/robots"
	"github.com/orbweaver/orbweaver/urinorm"
)

// sharedRobots are the robots.txt files that the processes of a crawl request for each other.
type sharedRobots struct {
	always context.Context
	common frontier.Common // nil for a crawl of one process

	mu     sync.Mutex
	failed map[string]int // requests of this process for each robots.txt that failed
}

// once lets one process of a shared crawl find something out for all. find returns how long
// that is valid; 0 lets another process try.
func (s *sharedRobots) once(ctx context.Context, name string, find func() (value []byte, valid time.Duration, err error)) ([]byte, error) {
	for {
		value, whose, err := s.common.Once(s.always, name)
		switch {
		case err != nil:
			return nil, err
		case whose == frontier.Known:
			return value, nil
		case whose == frontier.Mine:
			value, valid, err := find()
			return value, errors.Join(err, s.common.KeepOnce(s.always, name, value, valid))
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// attempts returns how many requests of this process for a robots.txt failed. The nth attempt
// is made by one process for all.
func (s *sharedRobots) attempts(url string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed[url]
}

func (s *sharedRobots) fail(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = map[string]int{}
	}
	s.failed[url]++
}

// robotsAnswer is the answer to a request for a robots.txt as processes share it.
type robotsAnswer struct {
	Status      int
	Location    string       `json:",omitempty"`
	ContentType string       `json:",omitempty"`
	Header      http.Header  `json:",omitempty"`
	Body        []byte       `json:",omitempty"`
	Fault       *sharedFault `json:",omitempty"`
}

// sharedFault is a fetch.Fault.
type sharedFault struct {
	Kind, Op, Target, Hint, Err string
	Retry                       bool
	Requests                    int
}

// maxRobots is how much of a robots.txt is shared; package robots reads 500 KiB.
const maxRobots = 500<<10 + 1

// robotsValid is how long a robots.txt is valid (RFC 9309 2.4).
const robotsValid = 24 * time.Hour

// robotsTxt fetches a robots.txt, unless another process of a shared crawl has done so today.
func (s *sharedRobots) robotsTxt(ctx context.Context, u urinorm.URL, get robots.Getter) (*fetch.Response, error) {
	if s.common == nil {
		return get(ctx, u)
	}
	url := u.String()
	var local error
	value, err := s.once(ctx, fmt.Sprintf("robots %d %s", s.attempts(url), url), func() ([]byte, time.Duration, error) {
		a := robotsAnswer{}
		resp, err := get(ctx, u)
		switch fault, isFault := errors.AsType[*fetch.Fault](err); {
		case err == nil:
			a.Status, a.Location, a.ContentType = resp.Status, resp.Location, resp.ContentType
			if after := resp.Header.Values("Retry-After"); len(after) > 0 {
				a.Header = http.Header{"Retry-After": after}
			}
			if date := resp.Header.Get("Date"); date != "" && a.Header != nil {
				a.Header.Set("Date", date)
			}
			if resp.Body != nil {
				a.Body, err = io.ReadAll(io.LimitReader(resp.Body, maxRobots))
				resp.Body.Close()
			}
			if err != nil {
				if fault, isFault = errors.AsType[*fetch.Fault](err); !isFault || fault.Local {
					local = err
					return nil, 0, nil
				}
				a.Fault = faultToShare(fault)
			}
		case isFault && !fault.Local && ctx.Err() == nil:
			a.Fault = faultToShare(fault)
		default:
			local = err
			return nil, 0, nil
		}
		text, err := json.Marshal(&a)
		return text, robotsValid, err
	})
	if local != nil {
		return nil, local
	}
	if err != nil {
		return nil, err
	}
	var a robotsAnswer
	if err := json.Unmarshal(value, &a); err != nil {
		return nil, fmt.Errorf("read the robots.txt that another process fetched: %w", err)
	}
	if f := a.Fault; f != nil {
		s.fail(url)
		return nil, &fetch.Fault{Kind: f.Kind, Op: f.Op, Target: f.Target, Hint: f.Hint, Err: errors.New(f.Err), Retry: f.Retry, Requests: f.Requests}
	}
	if a.Status == http.StatusTooManyRequests || a.Status >= 500 {
		s.fail(url)
	}
	resp := &fetch.Response{Status: a.Status, Location: a.Location, ContentType: a.ContentType, Header: a.Header, Size: int64(len(a.Body)), URL: u}
	if a.Body != nil {
		resp.Body = io.NopCloser(strings.NewReader(string(a.Body)))
	}
	return resp, nil
}

func faultToShare(f *fetch.Fault) *sharedFault {
	return &sharedFault{f.Kind, f.Op, f.Target, f.Hint, fmt.Sprint(f.Err), f.Retry, f.Requests}
}
