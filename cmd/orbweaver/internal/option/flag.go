package option

import (
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/patternsize"
)

// Flag is one row of the table.
type Flag struct {
	Name    string
	Short   string
	Arg     string   // placeholder for the value in help; empty for a switch
	Initial string   // the default as a user would write it; "" for none
	Words   []string // the allowed values, if they can be listed
	File    bool     // the value is a file name
	Doc     string   // one sentence in lower case, without a full stop
	Group   Group
	On      Commands
	Many    Repeat

	// Found is what a configuration that was found may do with the key. The zero value refuses it.
	Found Permission
	// Form is its field in the form of a project. Without one, no project has the flag.
	Form    *Field
	Server  Server
	Workers Workers
	// MayChange is set if another session of a crawl may use another value, because it does not
	// determine which targets there are and what is learned about them. See Flag.Changes.
	MayChange bool
	// Expands is set if ${NAME} in the value of a key is replaced by an environment variable.
	Expands bool
	Secret  Secrecy
	// Pattern measures the values if they are patterns; otherwise it is nil.
	Pattern patternsize.Measure
}

// Repeat determines what giving a flag twice means.
type Repeat uint8

const (
	// Once: the last value applies.
	Once Repeat = iota
	// Union: a list with commas. Values are combined, and the command line replaces the
	// file's list.
	Union
	// List: each flag adds one value, also to those of the file. An empty value drops
	// those of the file.
	List
)

// Commands is a set of commands that take a flag.
type Commands uint16

const (
	Check Commands = 1 << iota
	Explain
	Extract
	Report
	Compare
	History
	Fix
	Resume // also has the flags of check that another session may change
	Worker
	Frontier
	Agent   // has the flags of check that [Flag.ServesAgents] names
	Editor  // has the flags of check that [Flag.ServesEditors] names
	Archive // also has the flags of check that [Flag.ServesArchiving] names
)

// Group is a heading of the help.
type Group string

const (
	Targets       Group = "Targets"
	Scope         Group = "Scope"
	Verdicts      Group = "Verdicts"
	ContentChecks Group = "Content checks"
	RenderedPages Group = "Rendered pages"
	Connection    Group = "Connection"
	Login         Group = "Login"
	Politeness    Group = "Politeness"
	Output        Group = "Output"
	BetweenRuns   Group = "Between runs"
	Archives      Group = "Copies in an archive"
	Machines      Group = "Several machines"
	Servers       Group = "Server"
	Configuration Group = "Configuration"
)

// Groups are in the order of the help.
var Groups = []Group{Archives, Targets, Scope, Verdicts, ContentChecks, RenderedPages, Connection, Login, Politeness, Output, BetweenRuns, Machines, Servers, Configuration}

// Server is what becomes of a flag if a server executes the run (--server).
type Server uint8

const (
	// ByForm: it is an option of the project if it has a Form, and an error otherwise.
	ByForm Server = iota
	// AtClient: it concerns only the machine of the user.
	AtClient
)

// Workers is how the workers of a shared crawl learn of a flag.
type Workers uint8

const (
	// Sent: the coordinator sends it.
	Sent Workers = iota
	// Home: it concerns the coordinator alone. So do the flags of some groups; see Flag.StaysHome.
	Home
	// Own: it is a secret that is never sent. Each worker must be given it.
	Own
)

// Secrecy is whether a value is a secret, which is neither stored nor printed.
type Secrecy uint8

const (
	// Never: it is no secret.
	Never Secrecy = iota
	// InURL: it is one if it is a URL with a password.
	InURL
	// Always: it is one.
	Always
)

// Field is a field of the form of a project.
type Field struct {
	Section     Section
	Label, Hint string
	Unset       string // what holds without a value, if the flag has no default
}

// Section is a part of the form.
type Section string

// Sections are in the order of the form.
var Sections = []Section{checked, judged, requested}

const (
	checked   Section = "What is checked"
	judged    Section = "How it is judged"
	requested Section = "How it is requested"
)

func field(section Section, label, hint string) *Field {
	return &Field{Section: section, Label: label, Hint: hint}
}

// unset adds what holds without a value.
func (f *Field) unset(text string) *Field {
	f.Unset = text
	return f
}

// All returns all flags except those of `uri`, in the order of the help. They must not be changed.
var All = sync.OnceValue(func() []*Flag {
	rows := table()
	all := make([]*Flag, len(rows))
	for i := range rows {
		all[i] = &rows[i]
	}
	return all
})

// Of returns the flags of one command, in the order of the table.
func Of(on Commands) (flags []*Flag) {
	for _, f := range All() {
		if f.On&on != 0 || f.On&Check != 0 && (on == Resume && f.Changes() || on == Agent && f.ServesAgents() || on == Editor && f.ServesEditors() || on == Archive && f.ServesArchiving()) {
			flags = append(flags, f)
		}
	}
	return flags
}

// Named returns a flag of a command, nil if there is none of that name.
func Named(on Commands, name string) *Flag {
	for _, f := range All() {
		if f.Name == name && f.On&on != 0 {
			return f
		}
	}
	return nil
}

// IsSwitch reports whether a flag has no value.
func (f *Flag) IsSwitch() bool { return f.Arg == "" }

// TakesNumbers reports whether the values are whole numbers, which JSON has a type for.
func (f *Flag) TakesNumbers() bool { return f.Arg == "N" || f.Arg == "CODES" }

// Changes reports whether another session of a crawl may use another value.
func (f *Flag) Changes() bool {
	switch f.Group {
	case Output, Politeness, BetweenRuns, Machines, Configuration, Login:
		return true
	}
	return f.MayChange
}

// ServesAgents reports whether a flag of check says what is checked and how it is judged. The other
// ones write, share or repeat a run, sign in, or name what a command without targets has its own
// way to name.
func (f *Flag) ServesAgents() bool {
	switch f.Group {
	case Output, Machines, Servers, Login:
		return false
	case BetweenRuns:
		return f.Name == "cache" || f.Name == "max-age" || f.Name == "history"
	}
	switch f.Name {
	case "from", "stdin-type", "dump-inputs", "root", "sources", "since", "watch":
		return false
	}
	return true
}

// ServesEditors reports whether a flag of check says what is checked and how it is judged in an
// editor, whose own --external has one more word.
func (f *Flag) ServesEditors() bool {
	switch f.Name {
	case "show", "fix-level", "root":
		return true
	case "external":
		return false
	}
	return f.ServesAgents()
}

// ServesArchiving reports whether the command archive takes a flag of check. The other ones resume,
// share or repeat a run, or write to standard output, and some mean something else there.
func (f *Flag) ServesArchiving() bool {
	switch f.Name {
	case "watch", "state", "replay", "dump-inputs", "fix", "write", "fix-level", "write-clean", "overwrite", "overwrite-many", "unique":
		return false
	}
	return f.Group != Machines && f.Group != Servers && Named(Archive, f.Name) == nil
}

// StaysHome reports whether a flag concerns the coordinator of a shared crawl alone.
func (f *Flag) StaysHome() bool {
	switch f.Group {
	case Output, BetweenRuns, Machines, Configuration:
		return true
	}
	return f.Workers == Home
}

// IsSecret reports whether a value must be neither stored nor printed.
func (f *Flag) IsSecret(text string) bool {
	return f.Secret == Always || f.Secret == InURL && strings.Contains(text, "@")
}

// Spelling returns how the flag is written: "-f, --format FORMAT".
func (f *Flag) Spelling() string {
	s := "    "
	if f.Short != "" {
		s = "-" + f.Short + ", "
	}
	s += "--" + f.Name
	if v := f.Value(); v != "" {
		s += " " + v
	}
	return s
}

// Value returns the placeholder of the flag's value, or the allowed words if they are
// few.
func (f *Flag) Value() string {
	if len(f.Words) > 0 && len(f.Words) <= 4 {
		return strings.Join(f.Words, "|")
	}
	return f.Arg
}

// FullDoc returns the flag's doc with its words, its default and whether it may be
// repeated.
func (f *Flag) FullDoc() string {
	var more []string
	if len(f.Words) > 4 {
		more = append(more, strings.Join(f.Words, ", "))
	}
	if f.Initial != "" {
		more = append(more, "default "+f.Initial)
	}
	if f.Many == List {
		more = append(more, "repeatable")
	}
	if more == nil {
		return f.Doc
	}
	return f.Doc + " (" + strings.Join(more, "; ") + ")"
}
