package api

import "time"

// ExchangeVersion is the version of an Exchange.
const ExchangeVersion = 2

// Exchange are projects as they are exported and imported: without ids, and with "***" for secrets.
type Exchange struct {
	Version  int               `json:"version"`
	Projects []ExchangeProject `json:"projects"`
}

// ExchangeProject is a project with its marks and views.
type ExchangeProject struct {
	Name     string            `json:"name"`
	Targets  []string          `json:"targets"`
	URLs     []string          `json:"urls"`
	Options  map[string]any    `json:"options"`
	Schedule string            `json:"schedule"`
	Notify   []Notify          `json:"notify"`
	Tags     []string          `json:"tags"`
	Access   map[string]string `json:"access"`
	Quiet    *Quiet            `json:"quiet"`
	Marks    []ExchangeMark    `json:"marks"`
	Views    []ExchangeView    `json:"views"`
}

// MarkPlace is what a mark is about: a finding by its URL and code, or an issue.
type MarkPlace struct {
	URL     string `json:"url,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Subject string `json:"subject,omitempty"`
	Verdict string `json:"verdict,omitempty"`
	Code    string `json:"code"`
}

// ExchangeMark is a mark that is in force.
type ExchangeMark struct {
	MarkPlace
	As     string     `json:"as"`
	Reason string     `json:"reason"`
	Until  *time.Time `json:"until"`
}

// ExchangeView is a saved query.
type ExchangeView struct {
	Name  string `json:"name"`
	Query string `json:"query"`
}

// Imported are the names of the projects of an Exchange, by what an import did to them.
type Imported struct {
	Added   []string `json:"added"`
	Changed []string `json:"changed"`
	Same    []string `json:"same"`
}
