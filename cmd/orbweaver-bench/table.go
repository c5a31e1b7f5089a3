package main

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"text/tabwriter"
	"time"
)

// printTable prints the rows of a corpus as a Markdown table, with the ratios of
// Orbweaver to each program.
func printTable(out io.Writer, c corpus, mode string, s *settings, rows []row) {
	how := "from the directory"
	if mode == "http" {
		how = fmt.Sprintf("over HTTP on loopback, %d in flight", s.concurrency)
		if s.latency > 0 {
			how += ", each answer delayed by " + s.latency.String()
		}
	}
	fmt.Fprintf(out, "### %s, %s (%d CPUs)\n\n", c.name, how, runtime.NumCPU())
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| program\t| wall s\t| CPU s\t| memory MB\t| requests\t| broken\t| end/start\t| Orbweaver/program: wall, CPU, memory\t|")
	fmt.Fprintln(w, "| ---\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---\t|")
	for _, r := range rows {
		name := r.program
		if r.version != "" {
			name += " " + r.version
		}
		if r.timedOut {
			name += ", stopped"
		}
		ratios := ""
		if us := rows[0]; r.program != us.program {
			ratios = fmt.Sprintf("%.2f, %.2f, %.2f", ratio(us.wall, r.wall), ratio(us.cpu, r.cpu), ratio(us.memory, r.memory))
		}
		fmt.Fprintf(w, "| %s\t| %s\t| %s\t| %.0f\t| %s\t| %s\t| %s\t| %s\t|\n", name, seconds(r.wall), seconds(r.cpu),
			float64(r.memory)/(1<<20), number(r.requests, mode == "http"), number(r.findings, r.findings >= 0), formatSlowdown(r.slowdown), ratios)
	}
	_ = w.Flush() // there is nothing to do about its errors
	fmt.Fprintln(out)
}

func ratio[N time.Duration | int64](a, b N) float64 { return float64(a) / float64(max(b, 1)) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }

func number(n int, known bool) string {
	if !known {
		return "–"
	}
	return strconv.Itoa(n)
}

func formatSlowdown(r float64) string {
	if r == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", r)
}
