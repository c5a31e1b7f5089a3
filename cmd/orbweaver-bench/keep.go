package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// keepMode is a run that keeps more than what is wrong.
type keepMode struct {
	name      string
	format    string
	arguments []string // KEPT is a directory that is new for each round
}

// keepModes are measured in this order. The first is the one that the others are compared
// with. A second run with a state or a cache uses what the run before it has kept.
var keepModes = []keepMode{
	{name: "plain", format: "json"},
	{name: "--state, first run", format: "json", arguments: []string{"--state", "KEPT/state"}},
	{name: "--state, nothing changed", format: "json", arguments: []string{"--state", "KEPT/state"}},
	{name: "--cache, first run", format: "json", arguments: []string{"--cache", "KEPT/cache"}},
	{name: "--cache, nothing changed", format: "json", arguments: []string{"--cache", "KEPT/cache"}},
	{name: "--show all, json", format: "json", arguments: []string{"--show", "all"}},
	{name: "--show all, ndjson", format: "ndjson", arguments: []string{"--show", "all"}},
	{name: "--show all, csv", format: "csv", arguments: []string{"--show", "all"}},
	{name: "--show all, xml", format: "xml", arguments: []string{"--show", "all"}},
	{name: "--show all, sqlite", format: "sqlite", arguments: []string{"--show", "all"}},
}

// program returns Orbweaver as it runs in a mode. kept replaces KEPT.
func (m *keepMode) program(us program, kept string) program {
	us.name, us.version, us.findings = m.name, "", nil
	us.arguments = func(s *settings, at target) []string {
		args := ourArguments(s, at)
		args[slices.Index(args, "--format")+1] = m.format
		for _, arg := range m.arguments {
			args = append(args, strings.Replace(arg, "KEPT", kept, 1))
		}
		return args
	}
	return us
}

// keepRow is the cost of a mode.
type keepRow struct {
	row
	cpuRatio, memoryRatio float64 // to the plain run of the same round
	kept                  int64   // bytes of the state or the cache
}

// siteSize is what a plain run says of the site.
type siteSize struct{ Pages, References int }

// measureKeep measures all modes in turn, as often as the settings ask for, and returns
// those rounds of each mode with the median ratio of CPU time.
func (s *settings) measureKeep(c corpus, mode string, us program, log io.Writer) (rows []keepRow, size siteSize, err error) {
	place := target{dir: c.dir}
	var srv *server
	if mode == "http" {
		if srv, err = startServer(c, s.latency); err != nil {
			return nil, size, err
		}
		defer srv.stop()
		place.url = "http://" + srv.address + "/"
	}
	all := make([][]keepRow, len(keepModes))
	for round := range s.runs + 1 { // the first fills the caches of the server and the operating system
		if err := s.keepRound(place, srv, us, log, func(i int, r keepRow) {
			if round > 0 {
				all[i] = append(all[i], r)
			} else if i == 0 {
				size = r.size
			}
		}); err != nil {
			return nil, size, err
		}
	}
	for _, of := range all {
		slices.SortFunc(of, func(a, b keepRow) int { return cmp.Compare(a.cpuRatio, b.cpuRatio) })
		rows = append(rows, of[len(of)/2])
	}
	return rows, size, nil
}

// keepRound measures each mode once and calls done with its index and its cost.
func (s *settings) keepRound(place target, srv *server, us program, log io.Writer, done func(int, keepRow)) error {
	dir, err := os.MkdirTemp("", "orbweaver-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var plain row
	for i := range keepModes {
		m := &keepModes[i]
		r, err := s.runOnce(m.program(us, dir), place, srv, log)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if r.timedOut {
			return fmt.Errorf("%s: it took longer than %s (see -limit)", m.name, s.limit)
		}
		if i == 0 {
			plain = r
		}
		k := keepRow{row: r, cpuRatio: ratio(r.cpu, plain.cpu), memoryRatio: ratio(r.memory, plain.memory)}
		if len(m.arguments) > 1 {
			k.kept = sizeOf(strings.Replace(m.arguments[1], "KEPT", dir, 1))
		}
		done(i, k)
	}
	return nil
}

// sizeOf returns the size of a file or of the files in a directory, 0 if there is none.
func sizeOf(path string) (size int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error { // what cannot be read counts nothing
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// sizeIn returns the size of the site in the summary of a JSON report. The summary precedes
// the results, and only the beginning is read: the memory of this process would count for
// the programs that it starts.
func sizeIn(report io.ReaderAt) (size siteSize) {
	head := make([]byte, 64<<10)
	n, _ := report.ReadAt(head, 0) // usually less than that
	if _, after, found := bytes.Cut(head[:n], []byte(`"summary":`)); found {
		_ = json.NewDecoder(bytes.NewReader(after)).Decode(&size) // without a summary the costs of a page are not printed
	}
	return size
}

// printKeepTable prints the costs of the modes as a Markdown table.
func printKeepTable(out io.Writer, c corpus, mode string, size siteSize, rows []keepRow) {
	fmt.Fprintf(out, "### %s, %s: what keeping costs (%d pages, %d references, %d CPUs)\n\n", c.name, mode, size.Pages, size.References, runtime.NumCPU())
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| run\t| CPU s\t| of plain\t| memory MB\t| of plain\t| µs a page\t| ns a reference\t| report MB\t| kept MB\t|")
	fmt.Fprintln(w, "| ---\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t|")
	for _, r := range rows {
		fmt.Fprintf(w, "| %s\t| %s\t| %.2f\t| %.0f\t| %.2f\t| %s\t| %s\t| %.0f\t| %.0f\t|\n", r.program, seconds(r.cpu), r.cpuRatio,
			float64(r.memory)/(1<<20), r.memoryRatio, perUnit(r.cpu, size.Pages, time.Microsecond), perUnit(r.cpu, size.References, time.Nanosecond),
			float64(r.output)/1e6, float64(r.kept)/1e6)
	}
	_ = w.Flush() // there is nothing to do about its errors
	fmt.Fprintln(out)
}

// perUnit returns the time for each of n things.
func perUnit(d time.Duration, n int, unit time.Duration) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(d)/float64(unit)/float64(n))
}
