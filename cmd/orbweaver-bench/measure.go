package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// row is the cost and the result of one program.
type row struct {
	program  string
	version  string
	wall     time.Duration
	cpu      time.Duration // user and system
	memory   int64         // peak, in bytes
	requests int
	findings int     // -1 if they could not be read
	slowdown float64 // request rate of the last fifth of the run divided by that of the first fifth; 0 if the run is too short
	timedOut bool    // it was stopped at the limit
	output   int64   // bytes on standard output
	size     siteSize
	external *externalSeen // of an external site
}

// measure runs each program as often as the settings ask for, and returns the run with
// the median CPU time. A first run of Orbweaver does not count: it fills the caches of
// the server and the operating system.
func (s *settings) measure(c corpus, mode string, programs []program, log io.Writer) ([]row, error) {
	place := target{dir: c.dir}
	var srv *server
	if mode == "http" {
		var err error
		if srv, err = startServer(c, s.latency); err != nil {
			return nil, err
		}
		defer srv.stop()
		place.url = "http://" + srv.address + "/"
	}
	if c.dir != "" {
		if _, err := s.runOnce(programs[0], place, srv, io.Discard); err != nil {
			return nil, err
		}
	}
	var rows []row
	for _, p := range programs {
		if !strings.Contains(p.modes, mode) {
			continue
		}
		var of []row
		for range s.runs {
			r, err := s.runOnce(p, place, srv, log)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			of = append(of, r)
			if r.timedOut {
				break
			}
		}
		slices.SortFunc(of, func(a, b row) int { return cmp.Compare(a.cpu, b.cpu) })
		rows = append(rows, of[len(of)/2])
	}
	return rows, nil
}

// target is what a program checks.
type target struct{ url, dir string }

// runOnce runs a program in an empty directory.
func (s *settings) runOnce(p program, at target, srv *server, log io.Writer) (row, error) {
	r := row{program: p.name, version: versionOf(p)}
	wd, err := os.MkdirTemp("", "orbweaver-bench-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(wd)
	if err := os.Chmod(wd, 0o777); err != nil { // LinkChecker drops root privileges
		return r, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	args := p.arguments(s, at)
	if s.verbose {
		fmt.Fprintln(log, p.path, strings.Join(args, " "))
	}
	cmd := exec.CommandContext(ctx, p.path, args...)
	out, err := os.Create(filepath.Join(wd, "output")) // a file needs no reader
	if err != nil {
		return r, err
	}
	defer out.Close()
	cmd.Dir, cmd.Stdout = wd, out
	if p.readsStderr {
		cmd.Stderr = out
	}
	if p.config != "" {
		if err := os.WriteFile(filepath.Join(wd, configFile), []byte(p.config), 0o644); err != nil {
			return r, err
		}
	}
	if srv != nil {
		if _, err := srv.take(); err != nil {
			return r, err
		}
	}
	began := time.Now()
	err = cmd.Run()
	r.wall = time.Since(began)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return r, err
	}
	r.timedOut = ctx.Err() != nil
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.memory = peakMemory(cmd.ProcessState)
	if srv != nil {
		seen, err := srv.take()
		if err != nil {
			return r, err
		}
		r.requests, r.slowdown, r.external = seen.Requests, slowdown(seen), seen.External
		if s.verbose && r.slowdown > 0 {
			fmt.Fprintf(log, "requests per second in each tenth: %.0f\n", tenths(seen))
		}
	}
	r.findings = -1
	if info, err := out.Stat(); err == nil {
		r.output = info.Size()
	}
	if p.findings == nil {
		r.size = sizeIn(out)
	} else if said, err := os.ReadFile(out.Name()); err == nil && !r.timedOut {
		r.findings = p.findings(said)
	}
	return r, nil
}

// slowdown returns the request rate at the end of a run divided by the rate at its start.
func slowdown(c requestCounts) float64 {
	const fewest = 40 // minimum number of samples for a rate
	if len(c.Series) < fewest {
		return 0
	}
	took := func(from, to int) float64 { // number of samples between two request counts
		a, _ := slices.BinarySearch(c.Series, from)
		b, _ := slices.BinarySearch(c.Series, to)
		return float64(max(b-a, 1))
	}
	fifth := c.Requests / 5
	return took(0, fifth) / took(c.Requests-fifth, c.Requests)
}

// tenths returns the request rates in each tenth of a run's requests.
func tenths(c requestCounts) []float64 {
	rates := make([]float64, 10)
	from := 0
	for i := range rates {
		to, _ := slices.BinarySearch(c.Series, c.Requests*(i+1)/10)
		rates[i] = float64(c.Requests) / 10 / (float64(max(to-from, 1)) * sampleInterval.Seconds())
		from = to
	}
	return rates
}

// versionOf runs a program for its version, which is the first word with a digit.
func versionOf(p program) string {
	if p.version == "" {
		return ""
	}
	out, err := exec.Command(p.path, p.version).Output()
	if err != nil {
		return ""
	}
	for _, word := range strings.Fields(string(out)) {
		if word = strings.Trim(word, "v,()"); strings.ContainsAny(word, "0123456789") {
			return word
		}
	}
	return ""
}
