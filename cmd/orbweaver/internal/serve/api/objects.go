package api

import (
	"encoding/json"
	"time"
)

// List is one part of a list. Total counts all items that match.
type List[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"` // the cursor of the next part, nil at the end
	Total int     `json:"total"`
}

// Project is a site that is checked again and again. Secrets in Targets, Options and Notify
// are shown as "***".
type Project struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Targets  []string       `json:"targets"`
	Options  map[string]any `json:"options"` // long flags of check, without --
	Schedule string         `json:"schedule"`
	Notify   []Notify       `json:"notify"`
	Created  time.Time      `json:"created"`
	LastRun  *Run           `json:"last_run"`
	NextRun  *time.Time     `json:"next_run"` // nil without a schedule
	Version  int64          `json:"version"`  // grows with each change
	// Access are the roles of those who may see the project besides administrators, nil for everybody.
	Access map[string]string `json:"access"`
	Tags   []string          `json:"tags"`  // in lower case, sorted
	Quiet  *Quiet            `json:"quiet"` // nil: messages leave at any time
	URLs   int               `json:"urls"`  // the number of further URLs that are only checked
}

// Notify is one way to tell people about changes.
type Notify struct {
	Type   string   `json:"type"`             // one of notify.Types
	URL    string   `json:"url,omitempty"`    // where messages are sent, or the base of that
	Secret string   `json:"secret,omitempty"` // signs the body of a webhook
	Token  string   `json:"token,omitempty"`  // lets one send
	To     string   `json:"to,omitempty"`     // an e-mail address
	Topic  string   `json:"topic,omitempty"`  // of ntfy
	Chat   string   `json:"chat,omitempty"`   // of Telegram
	Room   string   `json:"room,omitempty"`   // of Matrix
	On     []string `json:"on"`               // new, fixed, unsound
}

// State is the state of a run.
type State string

// The states of a run.
const (
	Queued      State = "queued"
	Running     State = "running"
	Stopping    State = "stopping"
	Done        State = "done"
	Failed      State = "failed"
	Interrupted State = "interrupted"
)

// States are all states of a run.
var States = []State{Queued, Running, Stopping, Done, Failed, Interrupted}

// Active reports whether a run is queued, running or stopping.
func (s State) Active() bool { return s == Queued || s == Running || s == Stopping }

// Over reports whether a run has ended, for now.
func (s State) Over() bool { return !s.Active() }

// Run is one check of a project.
type Run struct {
	ID            string          `json:"id"`
	Project       string          `json:"project"`
	State         State           `json:"state"`
	Created       time.Time       `json:"created"`
	Started       *time.Time      `json:"started"`
	Finished      *time.Time      `json:"finished"`
	InterruptedBy *string         `json:"interrupted_by"` // stop or shutdown
	ExitStatus    *int            `json:"exit_status"`    // as of check: 0, 1 or 3
	Error         string          `json:"error,omitempty"`
	Progress      Progress        `json:"progress"`
	Summary       json.RawMessage `json:"summary"` // as in the report, null until the run ends
	Kind          string          `json:"kind"`    // full, or failing: only what had failed
	Issues        *Issues         `json:"issues"`  // nil until the run ends
	Known         *int            `json:"known"`   // broken findings under a mark, nil until the run ends
	// Sound says whether the result can be relied on, nil until the run ends.
	Sound *bool `json:"sound"`
	// UnsoundBecause is why it cannot: one of UnsoundReasons, nil for a sound run.
	UnsoundBecause *string `json:"unsound_because"`
	// Reason is the same in words, for people.
	Reason string `json:"-"`
}

// The kinds of runs.
const (
	Full    = "full"
	Failing = "failing" // only what was broken or unverified in the last sound full run
)

// UnsoundReasons are the values of UnsoundBecause.
var UnsoundReasons = []string{"nothing-verified", "start-unread", "max-time", "max-pages", "interrupted", "login", "failed"}

// IsSound reports whether a run has ended with a result that can be relied on.
func (r *Run) IsSound() bool { return r.Sound != nil && *r.Sound }

// Unsound reports whether a run has ended without one.
func (r *Run) Unsound() bool { return r.Sound != nil && !*r.Sound }

// Progress counts what a run has done so far.
type Progress struct {
	Pages    int `json:"pages"`    // documents read
	Queued   int `json:"queued"`   // targets that are known and not checked
	Checked  int `json:"checked"`  // targets
	Requests int `json:"requests"` // sent
	Broken   int `json:"broken"`   // targets
	// ElapsedMS is the time spent running, without interruptions.
	ElapsedMS int64 `json:"elapsed_ms"`
	// Rate is the number of requests a second in the last 10 s.
	Rate float64 `json:"rate"`
	// RemainingMS is an estimate, nil if there is none.
	RemainingMS *int64 `json:"remaining_ms"`
}

// Counts returns the progress without what changes with the time alone.
func (p Progress) Counts() Progress {
	p.ElapsedMS, p.Rate, p.RemainingMS = 0, 0, nil
	return p
}

// Finding is a target that is broken or unverified, with its code, or one warning at a
// target.
type Finding struct {
	ID          string     `json:"id"`
	Fingerprint string     `json:"fingerprint"` // the same in every run of the project
	URL         string     `json:"url"`
	Verdict     string     `json:"verdict"` // broken, unverified, warning, ok, skipped
	Code        string     `json:"code"`
	Message     string     `json:"message"`
	Scope       string     `json:"scope"`  // internal or external
	Status      int        `json:"status"` // of HTTP, 0 for none
	Places      int        `json:"places"` // references to the target
	Change      string     `json:"change"` // new, still or fixed
	FirstSeen   *time.Time `json:"first_seen"`
	Known       *Mark      `json:"known"` // the mark in force
	Issue       string     `json:"issue"` // its id, "" for what is no finding
	Page        *string    `json:"page"`  // the first page that refers to the target, nil for the command line
	Pages       int        `json:"pages"` // that refer to the target
}

// Issue is what one repair settles: findings with the same verdict and code.
type Issue struct {
	ID        string     `json:"id"`   // the same in every run of the project
	Kind      string     `json:"kind"` // document or link
	Subject   string     `json:"subject"`
	Verdict   string     `json:"verdict"`
	Code      string     `json:"code"`
	Message   string     `json:"message"`
	Findings  int        `json:"findings"`
	Pages     int        `json:"pages"` // that refer to the targets
	Places    int        `json:"places"`
	Change    string     `json:"change"` // new, still or fixed
	Delta     int        `json:"delta"`  // findings less those of the previous sound run
	FirstSeen *time.Time `json:"first_seen"`
	Known     int        `json:"known"` // findings under a mark
	Owner     *string    `json:"owner"`
	Comments  int        `json:"comments"`
	// Only is the fingerprint of an only finding, and OnlyURL its target, for people.
	Only    string `json:"-"`
	OnlyURL string `json:"-"`
}

// OnPage is a page that refers to targets of an issue.
type OnPage struct {
	URL    string `json:"url"`
	Title  string `json:"title"`
	Places int    `json:"places"`
}

// IssueDetail is an issue with its first pages and findings.
type IssueDetail struct {
	Issue
	On    []OnPage  `json:"on"`
	Items []Finding `json:"items"`
}

// Issues counts the issues of a run.
type Issues struct {
	Broken     int `json:"broken"`
	Unverified int `json:"unverified"`
	Warnings   int `json:"warnings"`
}

// Mark says that a finding is known, and why.
type Mark struct {
	Fingerprint string     `json:"fingerprint"`
	As          string     `json:"as"` // known or false-alarm
	Reason      string     `json:"reason"`
	Until       *time.Time `json:"until"` // nil: without end
	By          string     `json:"by"`    // name of the user or token
	Created     time.Time  `json:"created"`
	Version     int64      `json:"version"`    // grows with each change
	Changed     *time.Time `json:"changed"`    // nil if nobody changed it
	ChangedBy   *string    `json:"changed_by"` // likewise
	Place       MarkPlace  `json:"-"`          // what it is about, if that is known without a run
}

// InForce reports whether the mark covers its finding at a time.
func (m *Mark) InForce(at time.Time) bool { return m.Until == nil || at.Before(*m.Until) }

// Comment is what a person wrote about an issue.
type Comment struct {
	ID      string    `json:"id"`
	By      string    `json:"by"`
	Created time.Time `json:"created"`
	Text    string    `json:"text"`
}

// View is a query that people of a project use again.
type View struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Query string `json:"query"`
}

// PastVerdict is what one run found at a target.
type PastVerdict struct {
	Run     string     `json:"run"`
	Started *time.Time `json:"started"`
	Verdict string     `json:"verdict"`
	Code    string     `json:"code"`
}

// Page is a document that a run has read.
type Page struct {
	URL       string `json:"url"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Depth     int    `json:"depth"` // links from a start page
	LinksIn   int    `json:"links_in"`
	LinksOut  int    `json:"links_out"`
	Size      int64  `json:"size"`
	ElapsedMS int64  `json:"elapsed_ms"`
	Findings  int    `json:"findings"` // broken targets that the page refers to
	// ContentType is the media type without parameters, "" if it is not known.
	ContentType string `json:"content_type"`
}

// Figures count the pages of a run.
type Figures struct {
	Status      []ValueCount[int]    `json:"status"`
	Depth       []ValueCount[int]    `json:"depth"`
	ContentType []ValueCount[string] `json:"content_type"`
	Elapsed     []ElapsedCount       `json:"elapsed"`
}

// ValueCount is the number of pages with a value.
type ValueCount[T any] struct {
	Value T   `json:"value"`
	Count int `json:"count"`
}

// ElapsedCount is the number of pages that took more time than the class before, and at most UpToMS.
type ElapsedCount struct {
	UpToMS *int64 `json:"upto_ms"` // nil: without limit
	Count  int    `json:"count"`
}

// Comparison is what changed between two runs: broken findings, sorted by URL.
type Comparison struct {
	New       []Finding `json:"new"`
	Fixed     []Finding `json:"fixed"`
	Still     []Finding `json:"still"`
	Totals    Totals    `json:"totals"`
	Truncated bool      `json:"truncated"` // whether one of the lists is shortened
}

// Totals are the lengths of the whole lists of a Comparison.
type Totals struct {
	New   int `json:"new"`
	Fixed int `json:"fixed"`
	Still int `json:"still"`
}

// Outcome is the result of requesting one target.
type Outcome struct {
	Verdict string `json:"verdict"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

// Recheck is what a target was in a run, and what it is now.
type Recheck struct {
	URL    string  `json:"url,omitempty"` // of one of several
	Before Outcome `json:"before"`
	After  Outcome `json:"after"`
}

// Link is a read-only address that works without signing in.
type Link struct {
	ID      string     `json:"id"`
	For     string     `json:"for"`             // feed, badge or share
	Token   string     `json:"token,omitempty"` // only in the answer that made it
	URL     string     `json:"url,omitempty"`   // likewise
	Expires *time.Time `json:"expires"`
	Created time.Time  `json:"created"`
}

// StatusPage tells people without accounts how several projects are.
type StatusPage struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	Projects []string   `json:"projects"`        // their ids, nil if Tag chooses them
	Tag      *string    `json:"tag"`             // all projects with it
	Token    string     `json:"token,omitempty"` // only in the answer that made it
	URL      string     `json:"url,omitempty"`   // likewise
	Expires  *time.Time `json:"expires"`
	Created  time.Time  `json:"created"`
}

// Delivery is the result of a test of a notification.
type Delivery struct {
	Delivered bool   `json:"delivered"`
	Status    int    `json:"status"` // of HTTP, 0 for none
	Error     string `json:"error"`
}

// Mailed is the result of a digest that was sent at once.
type Mailed struct {
	Delivered bool    `json:"delivered"`
	Error     *string `json:"error"` // nil if it was delivered
}

// Me is somebody's own account.
type Me struct {
	Name   string `json:"name"`
	Role   string `json:"role"`
	Via    string `json:"via"` // password, oidc, proxy, token or none
	Email  string `json:"email"`
	Zone   string `json:"time_zone"` // "" for that of the server
	Digest string `json:"digest"`    // none, weekly or monthly
}

// Session is a browser in which somebody is signed in.
type Session struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Used    time.Time `json:"last_used"`
	Address string    `json:"address"`
	Agent   string    `json:"agent"`
	Current bool      `json:"current"` // the one of the request
}

// User is an account.
type User struct {
	Name    string    `json:"name"`
	Role    string    `json:"role"`
	Email   string    `json:"email"`
	Via     string    `json:"via"` // password, oidc or proxy
	Created time.Time `json:"created"`
}

// Token is a token of a program.
type Token struct {
	Name    string     `json:"name"`
	Role    string     `json:"role"`
	Expires *time.Time `json:"expires"`
	Project *string    `json:"project"` // the only one that it reaches, nil for all
	Created time.Time  `json:"created"`
	Token   string     `json:"token,omitempty"` // only in the answer that made it
}
