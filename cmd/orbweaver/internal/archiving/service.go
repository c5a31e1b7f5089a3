package archiving

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// SavePageNow is the service of the Wayback Machine.
const SavePageNow = "https://web.archive.org/save"

// Service is an archive that makes copies on request.
type Service struct {
	// URL is where targets are posted to, without query and fragment; the state of a job is at
	// URL/status/JOB.
	URL urinorm.URL
	// Key is KEY:SECRET, which is sent to the origin of URL alone; "" for none.
	Key string
	// Fetch sends the requests. It must have nothing that belongs to the user.
	Fetch fetch.Fetcher
	// Wait is how long a job, and a service that is busy, are waited for.
	Wait time.Duration
	// Within is how long a copy counts, before a new one is made.
	Within time.Duration
	// Interval is the least time between two requests.
	Interval time.Duration
	// Retries, Backoff and MaxWait are those of a crawl: how often a request is repeated that
	// may succeed later, the mean pause before it, and the longest Retry-After that is obeyed.
	Retries          int
	Backoff, MaxWait time.Duration
}

// maxAnswer is how many bytes an answer may have.
const maxAnswer = 1 << 20

// answer is what the service said about a URL: exactly one of its first fields is set.
type answer struct {
	job      string // it has accepted the URL
	copy     string // it has made the copy, at the time at
	failed   string // it will make no copy, for this reason
	pending  bool
	unknown  bool // it does not know the job
	busy     bool // it wants to be asked later: everything, or only for further submissions
	sessions bool
	refused  error // it gave no answer that can be used

	at       time.Time
	again    bool // a refused request may succeed later
	rest     time.Duration
	hasRest  bool // the answer says how long to wait
	overload bool // its whole host shall be left alone for that time
}

type message struct {
	Job       string `json:"job_id"`
	Status    string `json:"status"`
	StatusExt string `json:"status_ext"`
	Message   string `json:"message"`
	Timestamp string `json:"timestamp"`
	Original  string `json:"original_url"`
}

// isJobName reports whether a name of a job can be in a path: up to 200 letters, digits, "_", "-" and,
// but for the first, ".".
func isJobName(name string) bool {
	for i, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.' && i > 0:
		default:
			return false
		}
	}
	return name != "" && len(name) <= 200
}

// ask submits a URL, or asks about its job if there is one. The error is that of the context.
func (s *Service) ask(ctx context.Context, about, job string) (answer, error) {
	req := &fetch.Request{URL: s.URL, Need: fetch.Content, Anonymous: true, Final: true, Header: http.Header{"Accept": {"application/json"}}}
	if s.Key != "" {
		req.Header.Set("Authorization", "LOW "+s.Key)
	}
	if job == "" {
		req.Form = &fetch.Form{ContentType: "application/x-www-form-urlencoded", Body: []byte(url.Values{"url": {about}}.Encode())}
	} else {
		at, _, err := urinorm.ParseWeb(strings.TrimSuffix(s.URL.WithoutFragment().String(), "/") + "/status/" + job)
		if err != nil {
			return answer{refused: err}, nil
		}
		req.URL = at
	}
	resp, err := crawler.Get(ctx, s.Fetch, req)
	if fault, ok := errors.AsType[*fetch.Fault](err); ok {
		return answer{refused: fault, again: fault.Retry}, nil
	}
	if err != nil {
		return answer{}, err
	}
	var body []byte
	if resp.Body != nil {
		defer resp.Body.Close()
		if body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1)); err != nil {
			if ctx.Err() != nil {
				return answer{}, ctx.Err()
			}
			return answer{refused: err, again: true}, nil
		}
	}
	a := s.read(about, job, resp.Status, body)
	a.rest, a.hasRest = fetch.RetryAfter(resp.Header, time.Now())
	return a, nil
}

// read returns what an answer says.
func (s *Service) read(about, job string, status int, body []byte) answer {
	var m message
	bad := json.Unmarshal(body, &m)
	reason := s.clean(m.Message)
	if reason == "" {
		reason = s.clean(m.StatusExt)
	}
	switch {
	case status == http.StatusTooManyRequests:
		return answer{busy: true, sessions: bad == nil && m.tooManySessions(), refused: withReason("its answer has the status 429", reason)}
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooEarly:
		return answer{refused: fmt.Errorf("its answer has the status %d", status), again: true, overload: true}
	case status == http.StatusNotFound && job != "":
		return answer{unknown: true}
	case status >= 300 && status < 400:
		return answer{refused: fmt.Errorf("its answer has the status %d, and redirects are not followed", status)}
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return answer{refused: withReason(fmt.Sprintf("its answer has the status %d", status), reason)}
	case len(body) > maxAnswer:
		return answer{refused: errors.New("its answer is longer than 1 MiB")}
	case bad != nil:
		return answer{refused: errors.New("its answer is not the JSON of such a service")}
	case m.tooManySessions():
		return answer{busy: true, sessions: true, refused: errors.New(reason)}
	case m.Status == "error" || status >= 400:
		if reason == "" {
			reason = fmt.Sprintf("its answer has the status %d", status)
		}
		return answer{failed: reason}
	case job != "":
		return s.readState(about, &m)
	case isJobName(m.Job):
		return answer{job: m.Job}
	case reason != "":
		return answer{failed: reason}
	}
	return answer{refused: errors.New("its answer names no job")}
}

// readState returns what an answer says of a job.
func (s *Service) readState(about string, m *message) answer {
	switch m.Status {
	case "pending":
		return answer{pending: true}
	case "success":
		at, err := time.Parse("20060102150405", m.Timestamp)
		if err != nil {
			return answer{refused: errors.New("its answer has no time of the copy")}
		}
		if u, _, err := urinorm.ParseWeb(m.Original); err == nil && (u.Scheme() == "http" || u.Scheme() == "https") && !u.HasUserinfo() {
			about = u.Printed()
		}
		return answer{copy: s.URL.Scheme() + "://" + s.URL.Authority() + "/web/" + m.Timestamp + "/" + about, at: at}
	}
	return answer{refused: errors.New("its answer does not tell the state of the job")}
}

// tooManySessions reports whether the service wants to be asked again when its other jobs have ended.
func (m *message) tooManySessions() bool {
	text := strings.ToLower(m.Message)
	return strings.Contains(m.StatusExt, "session-limit") || strings.Contains(text, "sessions") && (strings.Contains(text, "limit") || strings.Contains(text, "too many"))
}

func withReason(text, reason string) error {
	if reason != "" {
		text += ": " + reason
	}
	return errors.New(text)
}

// maxReason is the length of a text of the service in bytes.
const maxReason = 300

// clean returns a text of the service as one short line, without the key.
func (s *Service) clean(text string) string {
	for _, secret := range append([]string{s.Key}, strings.SplitN(s.Key, ":", 2)...) {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}
