package web

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// historyChart draws the broken and unverified targets of the runs, which come newest first. A bar
// leads to its run. The table of runs beside it has the same numbers.
func historyChart(newest []*api.Run, times clock) template.HTML {
	type bar struct {
		*summary
		run *api.Run
	}
	var bars []bar
	most := 1
	for _, r := range slices.Backward(newest) {
		if s := summaryOf(r); s != nil && r.Kind != api.Failing {
			bars = append(bars, bar{s, r})
			most = max(most, s.Broken+s.Unverified)
		}
	}
	if len(bars) < 2 {
		return ""
	}
	const width, height, foot = 720, 120, 18
	step := float64(width) / float64(max(len(bars), 24))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="history" viewBox="-44 -14 %d %d" role="group" aria-label="Broken and unverified targets of the last %d runs; the table below has the numbers">`, width+50, height+foot+14, len(bars))
	for i, part := range []int{0, most / 2, most} {
		if i > 0 && part == 0 {
			continue // the scale is 0 to 1
		}
		y := height - height*part/most
		fmt.Fprintf(&b, `<line class="grid" x1="0" x2="%d" y1="%d" y2="%d"></line><text x="-6" y="%d" text-anchor="end">%s</text>`, width, y, y, y+4, api.Count(part))
	}
	for i, s := range bars {
		x, w := float64(i)*step+step*.15, step*.7
		hb, hu := float64(height*s.Broken)/float64(most), float64(height*s.Unverified)/float64(most)
		label := template.HTMLEscapeString(times.at(runTime(s.run)) + ": " + api.Count(s.Broken) + " broken, " + api.Count(s.Unverified) + " unverified" + reliability(s.run))
		class := ""
		if s.run.Unsound() {
			class = " unsound"
		}
		fmt.Fprintf(&b, `<a href="runs/%s" aria-label="%s"><title>%s</title><rect class="hit" x="%.1f" y="0" width="%.1f" height="%d"></rect>`, s.run.ID, label, label, float64(i)*step, step, height)
		fmt.Fprintf(&b, `<rect class="broken%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"></rect><rect class="unverified%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"></rect>`,
			class, x, float64(height)-hb, w, hb, class, x, float64(height)-hb-hu, w, hu)
		switch {
		case s.run.Unsound():
			fmt.Fprintf(&b, `<circle class="unsound" cx="%.1f" cy="%d" r="3"></circle>`, x+w/2, height-5)
		case s.Broken+s.Unverified == 0:
			fmt.Fprintf(&b, `<circle class="ok" cx="%.1f" cy="%d" r="3"></circle>`, x+w/2, height-5)
		}
		b.WriteString("</a>")
	}
	day := func(r *api.Run) string { return runTime(r).In(times.zone).Format("2 January 2006") }
	fmt.Fprintf(&b, `<text class="when" x="0" y="%d">%s</text><text class="when" x="%d" y="%d" text-anchor="end">%s</text>`, height+14, day(bars[0].run), width, height+14, day(bars[len(bars)-1].run))
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// reliability says so if the result of a run cannot be relied on.
func reliability(r *api.Run) string {
	if r.Unsound() {
		return ", not reliable"
	}
	return ""
}

// sparkline draws the broken targets of the last runs that can be relied on, which come newest first.
func sparkline(newest []*api.Run) template.HTML {
	var values []int
	most := 1
	for _, r := range slices.Backward(newest) {
		if s := summaryOf(r); s != nil && !r.Unsound() {
			values = append(values, s.Broken)
			most = max(most, s.Broken)
		}
	}
	if len(values) < 2 {
		return ""
	}
	texts := make([]string, len(values))
	var points strings.Builder
	for i, v := range values {
		texts[i] = api.Count(v)
		fmt.Fprintf(&points, "%d,%.1f ", 4+i*112/(len(values)-1), 28-24*float64(v)/float64(most))
	}
	return template.HTML(fmt.Sprintf(`<svg class="spark" viewBox="0 0 120 32" width="120" height="32" role="img" aria-label="broken in the last runs, oldest first: %s"><polyline points="%s"></polyline></svg>`, strings.Join(texts, ", "), strings.TrimSpace(points.String())))
}
