package inspect

import (
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/clamd"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/content"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/plugin"
)

// Config says what an Inspector looks for. The zero value looks for nothing.
type Config struct {
	Groups Groups

	Clamd        ClamdAddress  // of the group virus
	VirusAll     bool          // scan also the targets of other sites
	VirusMax     int64         // bytes of the largest body that is scanned
	VirusTimeout time.Duration // of each exchange with clamd

	SyntaxMax int    // findings of html-syntax and of css-syntax for each page
	Validator string // address of the Nu HTML Checker that checks HTML and CSS, AutoValidator, or ""
	Tidy      bool   // also check HTML with tidy
	ImageMax  int64  // bytes from which an image is large

	Content *ContentRules // rules of the user's own; may be nil
	Plugins []Plugin
	// Edition identifies the program that looks at pages. What the same edition found with
	// the same checks on a page that has not changed is reused.
	Edition string
}

// AutoValidator starts a Nu HTML Checker.
const AutoValidator = "auto"

// DefaultClamd is the socket of Debian's package clamav-daemon.
const DefaultClamd = clamd.DefaultAddress

// ClamdAddress is where clamd listens. The zero value is not an address.
type ClamdAddress struct{ address clamd.Address }

// ParseClamd parses unix:PATH or tcp:HOST:PORT. An IPv6 address is in brackets, and a port is
// a number.
func ParseClamd(s string) (ClamdAddress, error) {
	a, err := clamd.ParseAddress(s)
	return ClamdAddress{a}, err
}

// ContentRule is a rule of the user's own: a [[content]] block of the configuration.
type ContentRule struct {
	// Name has characters a-z, 0-9 and "-". The code of the findings is "content-" and Name.
	Name string
	// Match selects the pages that the rule applies to.
	Match Glob
	// Types are the media types of the pages, without parameters; text/html and
	// application/xhtml+xml if there are none.
	Types []string
	// Must and Not are plain strings, or "re:" and a regular expression of RE2. A page must
	// contain all of Must, and nothing of Not.
	Must, Not []string
	// In is "text" (also if empty), "source", "title", "css:SELECTOR" or "header:NAME".
	In string
	// Level is "broken", "unverified", "warning" (also if empty), "info" or "off".
	Level string
}

// ContentRules are compiled rules. They are safe for concurrent use.
type ContentRules struct{ set *content.Set }

// CompileContent compiles rules. The error unwraps to one for each fault.
func CompileContent(rules []ContentRule) (*ContentRules, error) {
	own := make([]content.Rule, len(rules))
	for i := range rules {
		own[i] = content.Rule(rules[i])
	}
	set, err := content.Compile(own)
	if err != nil {
		return nil, err
	}
	return &ContentRules{set}, nil
}

// Greatest values of a Plugin.
const (
	MaxPluginWorkers = plugin.MaxWorkers
	MaxPluginBody    = plugin.MaxMaxBody // bytes
)

// Plugin is a program of the user's own that checks pages: a [[plugin]] of the configuration.
type Plugin struct {
	// Name consists of a-z, 0-9 and hyphens. The codes of the plugin begin with it and a hyphen.
	Name string
	// Command is the program and its arguments. It is looked up in PATH and runs in our
	// working directory, without a shell.
	Command []string
	// Match selects the pages that the plugin checks.
	Match Glob
	// Types are the media types of the pages that it checks; HTML and XHTML if there are none.
	Types   []string
	Workers int           // processes, 1 if 0
	Timeout time.Duration // for each answer, 10 seconds if 0
	MaxBody int           // bytes of a document that are sent, 2 MiB if 0
	// Config is sent to the program as it is: the table [plugin.config].
	Config map[string]any
	// Env is the whole environment of the program.
	Env []string
	// Stderr receives each line of the program's standard error, with the plugin's name and
	// a colon before it, in one Write. One goroutine at a time uses it. The lines are cut after
	// 4,096 bytes and may contain control characters. Without it they are dropped.
	Stderr io.Writer
}

// ValidatePlugins reports what is wrong with the plugins of a configuration, nil if nothing is.
// The message names the plugin and the key.
func ValidatePlugins(plugins []Plugin) error { return plugin.Validate(configsOf(plugins)) }

func configsOf(plugins []Plugin) []plugin.Config {
	configs := make([]plugin.Config, len(plugins))
	for i := range plugins {
		configs[i] = plugin.Config(plugins[i])
	}
	return configs
}

// PluginCode is a code that a plugin may report.
type PluginCode struct {
	Code    check.Code
	Verdict check.Verdict // Broken, Unverified, VerdictWarning or VerdictInfo
	Title   string        // the code if the plugin gives none
	Advice  string
}
