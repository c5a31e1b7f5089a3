package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/report"
)

// Limits of the map.
const (
	maxMapped = 25_000 // pages
	maxTiles  = 60     // directories
)

type mapPage struct {
	Dir     string
	Above   []crumb // directories above, with the queries of their maps
	Map     template.HTML
	Parts   []tile
	Pages   []api.Page // directly in the directory
	Total   int
	Omitted int // pages that are not on the map
}

// Least and Most are the numbers of pages of the smallest and the largest directory on the map.
func (p *mapPage) Least() int { return p.Parts[min(len(p.Parts), maxTiles)-1].Count }
func (p *mapPage) Most() int  { return p.Parts[0].Count }

// tile is a part of a directory: a directory in it, or the pages directly in it.
type tile struct {
	Name, Path    string // Path is empty for pages
	Count, Broken int    // pages, and those with broken links
}

func showMap(c *Call) error {
	dir := c.URL.Query().Get("dir")
	var pages []api.Page
	q := findings.PageQuery{Text: dir, Sort: "url", Limit: 1000}
	total := 0
	for {
		list, err := c.Site.Service.Findings.Pages(c.Context(), c.Run, q)
		if err != nil {
			return err
		}
		total = list.Total
		pages = append(pages, list.Items...)
		if list.Next == nil || len(pages) >= maxMapped {
			break
		}
		q.After = *list.Next
	}
	view := &mapPage{Total: total, Omitted: max(0, total-len(pages))}
	pages = slices.DeleteFunc(pages, func(p api.Page) bool { return !strings.HasPrefix(p.URL, dir) })
	view.Dir = commonDirectory(dir, pages)
	view.Parts, view.Pages = tilesOf(view.Dir, pages)
	view.Map = treemap("runs/"+c.Run.ID+"/map", view.Parts)
	for at := 0; ; {
		i := strings.IndexByte(view.Dir[at:], '/')
		if i < 0 {
			break
		}
		at += i + 1
		if above := view.Dir[:at]; at < len(view.Dir) && !strings.HasSuffix(above, "//") && !strings.HasSuffix(above, ":/") {
			view.Above = append(view.Above, crumb{above, "runs/" + c.Run.ID + "/map?dir=" + url.QueryEscape(above)})
		}
	}
	return c.page(http.StatusOK, "map", "Map", view)
}

// commonDirectory returns the longest directory below dir that all pages are in.
func commonDirectory(dir string, pages []api.Page) string {
	if len(pages) == 0 {
		return dir
	}
	common := pages[0].URL
	for _, p := range pages {
		n := 0
		for n < len(common) && n < len(p.URL) && common[n] == p.URL[n] {
			n++
		}
		common = common[:n]
	}
	common = common[:strings.LastIndexByte(common, '/')+1]
	if len(common) < len(dir) || strings.HasSuffix(common, "://") {
		return dir
	}
	return common
}

// tilesOf divides the pages in a directory, the largest part first.
func tilesOf(dir string, pages []api.Page) ([]tile, []api.Page) {
	by := map[string]*tile{}
	var own []api.Page
	for _, p := range pages {
		path, _, _ := strings.Cut(p.URL[len(dir):], "?")
		name := ""
		if _, rest, found := strings.Cut(path, "://"); found { // no directory yet: a part for each host
			host, _, _ := strings.Cut(rest, "/")
			name = path[:len(path)-len(rest)] + host + "/"
		} else if step, _, found := strings.Cut(path, "/"); found {
			name = step + "/"
		} else {
			own = append(own, p)
		}
		t := by[name]
		if t == nil {
			t = &tile{Name: name, Path: dir + name}
			if name == "" {
				t.Name, t.Path = "(pages directly in it)", ""
			}
			by[name] = t
		}
		t.Count++
		if p.Findings > 0 {
			t.Broken++
		}
	}
	var all []tile
	for _, t := range by {
		t.Name = report.Readable(t.Name)
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b tile) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
	slices.SortStableFunc(own, func(a, b api.Page) int { return cmp.Compare(b.Findings, a.Findings) })
	return all, own[:min(len(own), 500)]
}

// treemap draws the largest tiles as rectangles whose areas are their counts.
func treemap(here string, tiles []tile) template.HTML {
	const width = 1000
	shown := tiles[:min(len(tiles), maxTiles)]
	if len(shown) < 2 {
		return ""
	}
	height := 120 + 40*min(len(shown), 10) // a few tiles need little room
	sizes := make([]float64, len(shown))
	for i, t := range shown {
		sizes[i] = max(float64(t.Count), float64(shown[0].Count)/150)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="treemap" viewBox="0 0 %d %d" role="group" aria-label="Directories by their numbers of pages; the table below has the numbers">`, width, height)
	for i, r := range squarify(sizes, rectangle{0, 0, width, float64(height)}) {
		t := shown[i]
		class := "graph"
		switch share := float64(t.Broken) / float64(max(t.Count, 1)); {
		case share > 0.5:
			class = "broken much"
		case share > 0.1:
			class = "broken some"
		case share > 0:
			class = "broken little"
		}
		label := t.Name + ": " + api.Plural(t.Count, "page")
		if t.Broken > 0 {
			label += ", " + api.Count(t.Broken) + " with broken links"
		}
		box := fmt.Sprintf(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"></rect>`, class, r.x+1, r.y+1, max(r.w-2, 0), max(r.h-2, 0))
		if room := int(r.w / 9); room >= 4 && r.h >= 22 {
			box += fmt.Sprintf(`<text x="%.1f" y="%.1f">%s</text>`, r.x+7, r.y+18, template.HTMLEscapeString(clip(t.Name, room)))
			if r.h >= 42 && room > 9 {
				box += fmt.Sprintf(`<text class="n" x="%.1f" y="%.1f">%s</text>`, r.x+7, r.y+36, template.HTMLEscapeString(clip(api.Plural(t.Count, "page"), room)))
			}
		}
		if t.Path == "" {
			fmt.Fprintf(&b, `<g><title>%s</title>%s</g>`, template.HTMLEscapeString(label), box)
			continue
		}
		fmt.Fprintf(&b, `<a href="%s?dir=%s" aria-label="%s"><title>%s</title>%s</a>`, here, url.QueryEscape(t.Path), template.HTMLEscapeString(label), template.HTMLEscapeString(label), box)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

type rectangle struct{ x, y, w, h float64 }

// squarify divides a rectangle among sizes, which descend, so that the parts are nearly
// squares (Bruls, Huizing, van Wijk: Squarified Treemaps).
func squarify(sizes []float64, room rectangle) []rectangle {
	total := 0.0
	for _, n := range sizes {
		total += n
	}
	scale := room.w * room.h / total
	out := make([]rectangle, 0, len(sizes))
	for at := 0; at < len(sizes); {
		side := min(room.w, room.h)
		sum, worst, end := 0.0, 0.0, at
		for ; end < len(sizes); end++ {
			s := sum + sizes[end]*scale
			ratio := max(side*side*sizes[at]*scale/(s*s), s*s/(side*side*sizes[end]*scale))
			if end > at && ratio > worst {
				break
			}
			sum, worst = s, ratio
		}
		thick, along := sum/side, 0.0
		for ; at < end; at++ {
			long := sizes[at] * scale / thick
			if room.w >= room.h {
				out = append(out, rectangle{room.x, room.y + along, thick, long})
			} else {
				out = append(out, rectangle{room.x + along, room.y, long, thick})
			}
			along += long
		}
		if room.w >= room.h {
			room.x, room.w = room.x+thick, room.w-thick
		} else {
			room.y, room.h = room.y+thick, room.h-thick
		}
	}
	return out
}
