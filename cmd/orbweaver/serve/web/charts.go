package web

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/api"
)

// historyChart draws the broken and unverified targets of the runs, which come newest first. The table
// of runs beside it has the same numbers.
func historyChart(newest []*api.Run) template.HTML {
	var sums []*summary
	most := 1
	for _, r := range slices.Backward(newest) {
		if s := summaryOf(r); s != nil {
			sums = append(sums, s)
			most = max(most, s.Broken+s.Unverified)
		}
	}
	if len(sums) < 2 {
		return ""
	}
	const width, height, foot = 720, 160, 18
	step := float64(width) / float64(max(len(sums), 12))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="history" viewBox="-34 -6 %d %d" role="img" aria-label="Broken and unverified targets of the last %d runs; the table below has the numbers">`, width+40, height+foot+6, len(sums))
	for _, part := range []int{0, most / 2, most} {
		y := height - height*part/most
		fmt.Fprintf(&b, `<line class="grid" x1="0" x2="%d" y1="%d" y2="%d"></line><text x="-6" y="%d" text-anchor="end">%s</text>`, width, y, y, y+4, count(part))
	}
	for i, s := range sums {
		x, w := float64(i)*step+step*.15, step*.7
		hb, hu := float64(height*s.Broken)/float64(most), float64(height*s.Unverified)/float64(most)
		fmt.Fprintf(&b, `<rect class="broken" x="%.1f" y="%.1f" width="%.1f" height="%.1f"></rect><rect class="unverified" x="%.1f" y="%.1f" width="%.1f" height="%.1f"></rect>`,
			x, float64(height)-hb, w, hb, x, float64(height)-hb-hu, w, hu)
		if s.Broken+s.Unverified == 0 {
			fmt.Fprintf(&b, `<circle class="ok" cx="%.1f" cy="%d" r="3"></circle>`, x+w/2, height-4)
		}
	}
	fmt.Fprintf(&b, `<text x="0" y="%d">older</text><text x="%.0f" y="%d" text-anchor="end">newer</text></svg>`, height+14, float64(len(sums))*step, height+14)
	return template.HTML(b.String())
}

// sparkline draws the broken targets of the last runs, which come newest first.
func sparkline(newest []*api.Run) template.HTML {
	var values []int
	most := 1
	for _, r := range slices.Backward(newest) {
		if s := summaryOf(r); s != nil {
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
		texts[i] = count(v)
		fmt.Fprintf(&points, "%d,%.1f ", 4+i*112/(len(values)-1), 28-24*float64(v)/float64(most))
	}
	return template.HTML(fmt.Sprintf(`<svg class="spark" viewBox="0 0 120 32" width="120" height="32" role="img" aria-label="broken in the last runs, oldest first: %s"><polyline points="%s"></polyline></svg>`, strings.Join(texts, ", "), strings.TrimSpace(points.String())))
}
