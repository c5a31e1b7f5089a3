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

	"github.com/orbweaver/orbweaver/crawler"
)

// console is standard error: notes, and below them a progress line that is drawn
// over itself. It is told things by the engine and by signals at once.
type console struct {
	mu    sync.Mutex
	out   io.Writer
	live  bool // a progress line is wanted
	width int  // columns, 0 where there is no terminal
	shown bool // a progress line stands on the screen
	drawn time.Time
	rate  speed
}

// redrawAfter keeps the progress line readable, and terminals quiet.
const redrawAfter = 100 * time.Millisecond

func newConsole(out io.Writer, progress string) *console {
	c := &console{out: out, width: terminalWidth(out)}
	c.live = progress == "always" || progress == "auto" && c.width > 0 && os.Getenv("TERM") != "dumb"
	return c
}

// notef writes a remark on the run. What pages say cannot move the cursor.
func (c *console) notef(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	fmt.Fprintln(c.out, "orbweaver: "+printable(fmt.Sprintf(format, args...)))
}

// progress draws how far the run has come.
func (c *console) progress(p crawler.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.live || time.Since(c.drawn) < redrawAfter {
		return
	}
	c.drawn = time.Now()
	line := progressLine(p, c.rate.of(p), c.drawn)
	if c.width > 0 {
		line = shortened(line, c.width-1)
		c.erase()
		fmt.Fprint(c.out, line)
		c.shown = true
		return
	}
	fmt.Fprintln(c.out, line) // asked for without a terminal: a log
}

// clear takes the progress line away, before the report or at the end.
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

// progressLine says what a waiting person wants to know:
//
//	12 pages · 340 of 512 checked · 2 broken · 35/s · 8 wait for example.com 12s
func progressLine(p crawler.Progress, perSecond float64, now time.Time) string {
	parts := []string{
		fmt.Sprintf("%d pages", p.Pages),
		fmt.Sprintf("%d of %d checked", p.Checked, p.Checked+p.Queued),
	}
	if p.Broken > 0 {
		parts = append(parts, fmt.Sprintf("%d broken", p.Broken))
	}
	parts = append(parts, fmt.Sprintf("%.0f/s", perSecond))
	if p.Waiting > 0 {
		wait := fmt.Sprintf("%d wait", p.Waiting)
		if p.WaitingHost != "" {
			wait += " for " + p.WaitingHost
			if left := p.WaitingUntil.Sub(now); left >= time.Second {
				wait += " " + left.Round(time.Second).String()
			}
		}
		parts = append(parts, wait)
	}
	return printable(strings.Join(parts, " · "))
}

// speed smooths requests a second, so that the number can be read.
type speed struct {
	requests int
	elapsed  time.Duration
	smooth   float64
}

func (s *speed) of(p crawler.Progress) float64 {
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

// printable shows control characters in place of obeying them.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

func shortened(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:max(width-1, 0)]) + "…"
}

// terminalWidth is the width of a terminal in columns, 0 for anything else, and for a
// terminal that would show escape sequences in place of obeying them.
func terminalWidth(out io.Writer) int {
	f, ok := out.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || !obeysEscapes(f) {
		return 0
	}
	return max(width, 20)
}

// isTerminal reports whether a person sits at the other end of a file.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// colored decides on colours: the flag first, then NO_COLOR (no-color.org: any
// value but the empty one), CLICOLOR_FORCE, CLICOLOR=0 and TERM=dumb, then whether
// a person is looking.
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
