package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// A rate of 0 is replaced by what is waited for.
func TestProgressLineWhileIdle(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for want, p := range map[string]result.Progress{
		"0 pages · 7 of 8 checked · waiting for /a, try 1 of 3, 1 s":           {Checked: 7, InFlight: 1, Slowest: result.InFlight{URL: "http://e.test/a", Internal: true, Try: 1, Tries: 3, Age: time.Second}},
		"0 pages · 7 of 9 checked · waiting for e.test, 90 s left":             {Checked: 7, Queued: 2, WaitingHost: "e.test", WaitingUntil: now.Add(90 * time.Second)},
		"0 pages · 7 of 9 checked · waiting for 2 answers":                     {Checked: 7, InFlight: 2},
		"0 pages · 7 of 9 checked · 1 broken · waiting to try 2 targets again": {Checked: 7, Queued: 2, Broken: 1},
		"0 pages · 9 of 9 checked · finishing":                                 {Checked: 9},
	} {
		p.Elapsed = time.Minute
		if got := progressLine(p, 0.2, now); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		p.Elapsed = time.Second // nothing has been sent yet
		if got := progressLine(p, 0, now); !strings.Contains(got, " · 0/s") {
			t.Errorf("at the start: %s", got)
		}
	}
}

func TestProgressLine(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		p    result.Progress
		want string
	}{
		{result.Progress{Pages: 12, Checked: 340, Queued: 172}, "12 pages · 340 of 512 checked · 35/s"},
		{result.Progress{Pages: 1, Checked: 786, InFlight: 1}, "1 page · 786 of 787 checked · 35/s"},
		{result.Progress{Checked: 786, InFlight: 1, Slowest: result.InFlight{URL: "http://example.com/reset?a", Internal: true, Try: 2, Tries: 3, Age: 14200 * time.Millisecond}},
			"0 pages · 786 of 787 checked · 35/s · waiting for /reset?a, try 2 of 3, 14 s"},
		{result.Progress{Checked: 7, InFlight: 1, Slowest: result.InFlight{URL: "http://example.com", Internal: true, Try: 4, Age: 3 * time.Second}},
			"0 pages · 7 of 8 checked · 35/s · waiting for /, last try, 3 s"},
		{result.Progress{Checked: 7, InFlight: 1, Slowest: result.InFlight{URL: "http://other.example/a", Try: 1, Tries: 1, Age: 4 * time.Second}},
			"0 pages · 7 of 8 checked · 35/s · waiting for http://other.example/a, 4 s"},
		{result.Progress{Checked: 7, InFlight: 1, Slowest: result.InFlight{URL: "http://other.example/a", Try: 1, Tries: 3, Age: 2900 * time.Millisecond}},
			"0 pages · 7 of 8 checked · 35/s"},
		{result.Progress{Checked: 1, Broken: 2}, "0 pages · 1 of 1 checked · 2 broken · 35/s"},
		{result.Progress{Checked: 1, WaitingHost: "example.com", WaitingUntil: now.Add(12 * time.Second)},
			"0 pages · 1 of 1 checked · 35/s · waiting for example.com, 12 s left"},
		{result.Progress{WaitingHost: "a\x1b[2J"}, "0 pages · 0 of 0 checked · 35/s · waiting for a\uFFFD[2J"},
	} {
		if got := progressLine(c.p, 35, now); got != c.want {
			t.Errorf("%+v\ngot  %s\nwant %s", c.p, got, c.want)
		}
	}
}

func TestSpeedSettles(t *testing.T) {
	var s speed
	var got float64
	for i := 1; i <= 50; i++ {
		got = s.of(result.Progress{Requests: i * 20, Elapsed: time.Duration(i) * time.Second})
	}
	if got < 19 || got > 21 {
		t.Errorf("20 requests a second are shown as %.1f", got)
	}
	if again := s.of(result.Progress{Requests: 1000, Elapsed: 50 * time.Second}); again != got {
		t.Errorf("no time passed, and %.1f became %.1f", got, again)
	}
}

// Without a terminal there is no progress unless the flag asks for it. It is then written
// as lines without escape sequences.
func TestConsoleOffTerminal(t *testing.T) {
	for when, want := range map[string]string{"auto": "", "never": "", "always": "3 pages · 0 of 0 checked · 0/s\n"} {
		var out bytes.Buffer
		c := newConsole(&out, when)
		c.progress(result.Progress{Pages: 3})
		c.progress(result.Progress{Pages: 4}) // too soon after the last line
		c.clear()
		if out.String() != want {
			t.Errorf("--progress %s writes %q, want %q", when, out.String(), want)
		}
	}
}

// A note is on its own line, and replaces the progress line.
func TestConsoleOnTerminal(t *testing.T) {
	var out bytes.Buffer
	c := &console{out: &out, live: true, width: 30}
	c.progress(result.Progress{Pages: 3, Checked: 1000000})
	c.notef("a note of %s", "a page\r\x1b[31m")
	c.clear()
	got := out.String()
	const erase = "\r\x1b[K"
	line, rest, found := strings.Cut(got, erase)
	if !found || len([]rune(line)) != 29 || !strings.HasSuffix(line, "…") {
		t.Errorf("progress line %q is not shortened to the terminal", line)
	}
	if want := "orbweaver: a note of a page\uFFFD\uFFFD[31m\n"; rest != want {
		t.Errorf("note %q, want %q", rest, want)
	}
}

// TestConsoles has the consoles of each system: whether a text for one may have colors and lines
// that are redrawn.
func TestConsoles(t *testing.T) {
	noConsole := errors.New("the handle is invalid")
	for _, c := range []struct {
		name  string
		width int
		err   error
		mode  uint32 // of a console of Windows
		sets  bool   // the console accepts another mode
		want  int
	}{
		{"Terminal of macOS", 80, nil, escapeMode, false, 80},
		{"a very narrow terminal", 3, nil, escapeMode, false, 20},
		{"a pipe or a file", 0, noConsole, escapeMode, true, 0},
		{"Windows Terminal", 120, nil, escapeMode | 0x8, false, 120},
		{"console of Windows 10 before it is asked", 120, nil, 0x3, true, 120},
		{"console of Windows 10 without processed output", 120, nil, 0x4, true, 120},
		{"console of Windows 8", 120, nil, 0x3, false, 0},
	} {
		got := usableWidth(c.width, c.err, func() bool {
			needs, differs := modeForEscapes(c.mode)
			if needs&c.mode != c.mode {
				t.Errorf("%s: the mode %#x drops flags of %#x", c.name, needs, c.mode)
			}
			return !differs || c.sets
		})
		if got != c.want {
			t.Errorf("%s has the width %d, want %d", c.name, got, c.want)
		}
	}
}

func TestColored(t *testing.T) {
	for _, c := range []struct {
		when string
		env  map[string]string
		want bool
	}{
		{"always", map[string]string{"NO_COLOR": "1"}, true},
		{"never", map[string]string{"CLICOLOR_FORCE": "1"}, false},
		{"auto", nil, false}, // no terminal
		{"auto", map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"auto", map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{"auto", map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
	} {
		if got := colored(c.when, &bytes.Buffer{}, func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("--color %s with %v: %v, want %v", c.when, c.env, got, c.want)
		}
	}
}
