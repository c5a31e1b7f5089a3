// Command orbweaver-bench measures Orbweaver and the other link checkers on PATH on the
// same sites, and prints one table: wall and CPU time, peak memory, requests as counted by
// the server, and broken targets as reported by each program.
//
//	orbweaver-bench public/                        a built site, from the directory and over HTTP
//	orbweaver-bench -mode http site:1000000x50     a generated site with that many pages and links per page
//	orbweaver-bench -latency 50ms site:1000x20     each answer takes that long
//	orbweaver-bench -keep public/                  what states, caches and full reports cost
//	orbweaver-bench -latency 50ms external:2000x10000   links to that many hosts over TLS
//
// A separate process serves the site from memory, so that its costs are not counted. It
// generates the pages of a generated site (crawlertest.Generate) for every request. The
// programs run one after another, each in an empty directory, and do not check links to
// other hosts, so that the results do not depend on the network.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// settings are the values of the command line.
type settings struct {
	ours        string
	peers       string
	mode        string
	runs        int
	concurrency int
	latency     time.Duration
	limit       time.Duration
	arguments   string
	verbose     bool
	keep        bool
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == serveCommand {
		if err := serve(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "orbweaver-bench:", err)
			os.Exit(1)
		}
		return
	}
	if err := bench(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "orbweaver-bench:", err)
		os.Exit(1)
	}
}

// bench measures the programs that the command line names and prints the table.
func bench(args []string, out, log io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("orbweaver-bench", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.StringVar(&s.ours, "ours", "orbweaver", "the `program` to measure")
	flags.StringVar(&s.arguments, "arguments", "", "more arguments for the program, such as '--concurrency 8'")
	flags.StringVar(&s.peers, "peers", "all", "comma-separated `list` of checkers to compare with: all, none, or some of "+strings.Join(peerNames(), ","))
	flags.StringVar(&s.mode, "mode", "", "`how` to read a directory: dir, http, or both (the default)")
	flags.IntVar(&s.runs, "runs", 1, "run each program this many `times` and take the median")
	flags.IntVar(&s.concurrency, "concurrency", 64, "maximum number of requests in flight, for checkers that have such a setting")
	flags.DurationVar(&s.latency, "latency", 0, "`time` before each answer")
	flags.DurationVar(&s.limit, "limit", 5*time.Minute, "maximum `time` of one run")
	flags.BoolVar(&s.keep, "keep", false, "measure Orbweaver when it keeps more than what is wrong: states, caches and full reports")
	flags.BoolVar(&s.verbose, "v", false, "print the command lines, and the request rates during long runs")
	flags.Usage = func() {
		fmt.Fprintln(log, "usage: orbweaver-bench [flags] DIRECTORY|site:PAGESxLINKS[@SEED]|external:HOSTSxLINKS...")
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return nil
	case err != nil:
		return err
	case flags.NArg() == 0:
		flags.Usage()
		return fmt.Errorf("name a directory or a site to generate")
	case s.runs < 1:
		return fmt.Errorf("-runs %d: use 1 or more", s.runs)
	}
	programs, err := s.programs()
	if err != nil {
		return err
	}
	for _, name := range flags.Args() {
		if strings.HasPrefix(name, "external:") {
			if err := s.measureExternal(name, programs[0], out, log); err != nil {
				return fmt.Errorf("measure %s: %w", name, err)
			}
			continue
		}
		corpus, err := parseCorpus(name)
		if err != nil {
			return err
		}
		for _, mode := range s.modes(corpus) {
			if s.keep {
				rows, size, err := s.measureKeep(corpus, mode, programs[0], log)
				if err != nil {
					return fmt.Errorf("measure %s: %w", name, err)
				}
				printKeepTable(out, corpus, mode, size, rows)
				continue
			}
			rows, err := s.measure(corpus, mode, programs, log)
			if err != nil {
				return fmt.Errorf("measure %s: %w", name, err)
			}
			printTable(out, corpus, mode, &s, rows)
		}
	}
	return nil
}

// programs returns Orbweaver and the other checkers that are installed.
func (s *settings) programs() ([]program, error) {
	ours, err := exec.LookPath(s.ours)
	if err == nil {
		ours, err = filepath.Abs(ours) // it will run in another directory
	}
	if err != nil {
		return nil, fmt.Errorf("find the program to measure (see -ours): %w", err)
	}
	us := program{name: "orbweaver", path: ours, modes: "http dir", arguments: ourArguments, findings: ourFindings, version: "version"}
	found := []program{us}
	wanted := strings.Split(s.peers, ",")
	for _, p := range peers {
		if s.peers == "none" || s.peers != "all" && !contains(wanted, p.name) {
			continue
		}
		path, err := exec.LookPath(p.name)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		switch {
		case err == nil:
			p.path = path
			found = append(found, p)
		case s.peers != "all":
			return nil, fmt.Errorf("find %s: %w", p.name, err)
		}
	}
	for _, name := range wanted {
		if name != "all" && name != "none" && !contains(peerNames(), name) {
			return nil, fmt.Errorf("unknown checker %q: use %s", name, strings.Join(peerNames(), ", "))
		}
	}
	return found, nil
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

func (s *settings) modes(c corpus) []string {
	switch {
	case s.mode != "" && s.mode != "both":
		return []string{s.mode}
	case c.dir == "":
		return []string{"http"}
	}
	return []string{"dir", "http"}
}
