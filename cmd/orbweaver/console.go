package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// console writes notes to standard error and, below them, a progress line that is redrawn
// in place. The engine and the signal handler use it concurrently.
type console struct {
	mu    sync.Mutex
	out   io.Writer
	live  bool // draw a progress line
	width int  // columns; 0 if there is no terminal
	shown bool // the progress line is on the screen
	drawn time.Time
	rate  speed
}

// redrawAfter is the minimum time between two progress lines.
const redrawAfter = 100 * time.Millisecond

func newConsole(out io.Writer, progress string) *console {
	c := &console{out: out, width: terminalWidth(out)}
	c.live = progress == "always" || progress == "auto" && c.width > 0 && os.Getenv("TERM") != "dumb"
	return c
}

// notef writes a note about the run. Text from pages cannot move the cursor.
func (c *console) notef(format string, args ...any) {
	c.writeLine("orbweaver: " + fmt.Sprintf(format, args...))
}

// notes is a writer of notes, which gets a line at a time.
type notes func(format string, args ...any)

func (n notes) Write(line []byte) (int, error) {
	n("%s", strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// Write writes a line as it is, apart from control characters.
func (c *console) Write(line []byte) (int, error) {
	c.writeLine(strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// writeLine writes a line as it is, apart from control characters.
func (c *console) writeLine(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	fmt.Fprintln(c.out, printable(line))
}

func (c *console) progress(p result.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.live || time.Since(c.drawn) < redrawAfter {
		return
	}
	c.drawn = time.Now()
	line := progressLine(p, c.rate.of(p), c.drawn)
	if c.width > 0 {
		line = truncated(line, c.width-1)
		c.erase()
		fmt.Fprint(c.out, line)
		c.shown = true
		return
	}
	fmt.Fprintln(c.out, line) // --progress always without a terminal: write a log
}

// clear removes the progress line, before the report or at the end.
func (c *console) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	c.live = false
}

func (c *console) erase() {
	if c.shown {
		fmt.Fprint(c.out, "\r\x1b[K")
		c.shown = false
	}
}

// slowAfter is how long a target is visited until the progress line names it.
const slowAfter = 3 * time.Second

// progressLine formats the progress of the run:
//
//	12 pages · 340 of 512 checked · 2 broken · 35/s · waiting for /reset, try 2 of 3, 14 s
//
// While nothing is sent, what it waits for stands in place of the rate.
func progressLine(p result.Progress, perSecond float64, now time.Time) string {
	parts := []string{
		counted(p.Pages, "page"),
		fmt.Sprintf("%d of %d checked", p.Checked, p.Checked+p.Queued+p.InFlight),
	}
	if p.Broken > 0 {
		parts = append(parts, fmt.Sprintf("%d broken", p.Broken))
	}
	idle := perSecond < 0.5 && p.Elapsed >= slowAfter
	if !idle {
		parts = append(parts, fmt.Sprintf("%.0f/s", perSecond))
	}
	if what := awaited(p, now, idle); what != "" {
		parts = append(parts, what)
	}
	return printable(strings.Join(parts, " · "))
}

// awaited says what the run waits for. If it is idle, there is always something, which the line has in
// place of a rate of 0.
func awaited(p result.Progress, now time.Time, idle bool) string {
	switch left := p.WaitingUntil.Sub(now); {
	case p.Slowest.URL != "" && (p.Slowest.Age >= slowAfter || idle):
		return "waiting for " + inFlight(p.Slowest)
	case p.WaitingHost != "" && left >= time.Second:
		return fmt.Sprintf("waiting for %s, %.0f s left", p.WaitingHost, left.Seconds())
	case p.WaitingHost != "":
		return "waiting for " + p.WaitingHost
	case !idle:
		return ""
	case p.InFlight > 0:
		return "waiting for " + counted(p.InFlight, "answer")
	case p.Queued > 0:
		return "waiting to try " + counted(p.Queued, "target") + " again"
	}
	return "finishing"
}

// inFlight describes a target that is visited. The origin of the site is left out.
func inFlight(f result.InFlight) string {
	url := f.URL
	if _, rest, found := strings.Cut(url, "://"); found && f.Internal {
		url = "/"
		if slash := strings.IndexByte(rest, '/'); slash >= 0 {
			url = rest[slash:]
		}
	}
	switch {
	case f.Tries == 0:
		url += ", last try"
	case f.Tries > 1:
		url += fmt.Sprintf(", try %d of %d", min(f.Try, f.Tries), f.Tries)
	}
	return fmt.Sprintf("%s, %.0f s", url, f.Age.Seconds())
}

// speed is a smoothed number of requests per second, so that the displayed value is
// steady.
type speed struct {
	requests int
	elapsed  time.Duration
	smooth   float64
}

func (s *speed) of(p result.Progress) float64 {
	if passed := p.Elapsed - s.elapsed; passed > 0 {
		now := float64(p.Requests-s.requests) / passed.Seconds()
		if s.smooth == 0 {
			s.smooth = now
		}
		s.smooth += (now - s.smooth) * min(1, passed.Seconds()/3)
		s.requests, s.elapsed = p.Requests, p.Elapsed
	}
	return s.smooth
}

// printable replaces control characters, so that the terminal does not obey them.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

func truncated(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:max(width-1, 0)]) + "…"
}

// terminalWidth returns the width of a terminal in columns, or 0 if out is not a terminal
// or does not support escape sequences.
func terminalWidth(out io.Writer) int {
	f, ok := out.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return usableWidth(width, err, func() bool { return obeysEscapes(f) })
}

// usableWidth returns the width for texts: 0 if there is no terminal, or one that prints escape
// sequences instead of obeying them.
func usableWidth(width int, err error, obeys func() bool) int {
	if err != nil || !obeys() {
		return 0
	}
	return max(width, 20)
}

// Flags of the mode of a console of Windows: ENABLE_PROCESSED_OUTPUT and
// ENABLE_VIRTUAL_TERMINAL_PROCESSING. Both are needed for escape sequences.
const escapeMode = 0x1 | 0x4

// modeForEscapes returns the mode that a console of Windows needs for escape sequences, and
// whether it differs from the one that it has.
func modeForEscapes(has uint32) (needs uint32, differs bool) {
	return has | escapeMode, has&escapeMode != escapeMode
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// colored reports whether to use colors. In order of precedence: the flag, NO_COLOR
// (no-color.org: any value but the empty one), CLICOLOR_FORCE, CLICOLOR=0 and TERM=dumb,
// and whether the output is a terminal.
func colored(when string, out io.Writer, env func(string) string) bool {
	switch {
	case when != "auto":
		return when == "always"
	case env("NO_COLOR") != "":
		return false
	case env("CLICOLOR_FORCE") != "" && env("CLICOLOR_FORCE") != "0":
		return true
	case env("CLICOLOR") == "0" || env("TERM") == "dumb":
		return false
	}
	return terminalWidth(out) > 0
}
