package report

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestTextIsAsDocumented(t *testing.T) {
	const want = `docs/install.html
  12:8   broken      http-404          https://example.com/gone        "Download"
  40:3   broken      fragment-missing  guide.html#setup                "Setup"   did you mean #set-up?

2 broken, 1 unverified, 3 warnings · 1204 links to 410 targets on 57 pages · 1.2 s
`
	if got := render(t, "text", Options{}, contractRun()); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestTextGolden(t *testing.T) {
	golden(t, "full.txt.golden", []byte(render(t, "text", Options{}, fullRun())))
	golden(t, "full-all.txt.golden", []byte(render(t, "text", Options{Show: ShowAll}, fullRun())))
	golden(t, "full-color.txt.golden", []byte(render(t, "text", Options{Show: ShowAll, Color: true, Width: 100}, fullRun())))
	golden(t, "hostile.txt.golden", []byte(render(t, "text", Options{}, hostileRun())))
}

func TestTextOfCleanRunIsOneLine(t *testing.T) {
	run := contractRun()
	run.Results = nil
	s := &run.Summary
	s.OK, s.Broken, s.Unverified, s.Skipped, s.Warnings = 403, 0, 0, 7, 0
	const want = "all ok · 1204 links to 410 targets on 57 pages · 1.2 s\n"
	if got := render(t, "text", Options{}, run); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSummaryLine(t *testing.T) {
	for _, test := range []struct {
		s    result.Summary
		want string
	}{
		{result.Summary{OK: 1, Results: 1, References: 1, Links: 1, Pages: 1},
			"all ok · 1 link to 1 target on 1 page · 0.0 s"},
		{result.Summary{Broken: 1, OK: 1, Results: 2, References: 3, Links: 3, Pages: 1, Elapsed: 59949 * time.Millisecond},
			"1 broken · 3 links to 2 targets on 1 page · 59.9 s"},
		{result.Summary{Warnings: 1, OK: 1, Results: 1, References: 2, Elapsed: time.Minute},
			"1 warning · 2 links to 1 target on 0 pages · 1 min 0 s"},
		{result.Summary{Unverified: 2, Warnings: 2, Elapsed: 2*time.Hour + 5*time.Minute},
			"2 unverified, 2 warnings · 0 links to 0 targets on 0 pages · 2 h 5 min"},
		{result.Summary{OK: 3, Results: 4, References: 4, Links: 4, Pages: 2, Soundness: result.Read(false, "max-time", "")},
			"not every target was checked · 4 links to 4 targets on 2 pages · 0.0 s · stopped by max-time"},
		{result.Summary{OK: 3, Results: 4, References: 4, Links: 4, Pages: 2, Soundness: result.Soundness{State: result.Partial, StoppedBy: "interrupt", Checked: 47, Known: 121}},
			"47 of 121 targets checked · 4 links to 4 targets on 2 pages · 0.0 s · stopped by interrupt"},
		{result.Summary{Broken: 2, Results: 4, References: 4, Links: 4, Pages: 2, Soundness: result.Soundness{State: result.Partial, StoppedBy: "max-time", Checked: 47, Known: 121}},
			"2 broken · 4 links to 4 targets on 2 pages · 0.0 s · 47 of 121 targets checked · stopped by max-time"},
		{result.Summary{OK: 1, Results: 1, Soundness: result.Read(true, "", "no link could be verified: 3 timeout")},
			"not reliable · 0 links to 1 target on 0 pages · 0.0 s · no link could be verified: 3 timeout"},
		{result.Summary{Broken: 1, Soundness: result.Read(false, "interrupt", "")},
			"1 broken · 0 links to 0 targets on 0 pages · 0.0 s · stopped by interrupt"},
		{result.Summary{OK: 1, Soundness: result.Read(false, "", "")}, "not every target was checked · 0 links to 0 targets on 0 pages · 0.0 s · incomplete"},
		{result.Summary{Skipped: 5, Results: 5, References: 5, Links: 5, Pages: 1},
			"nothing checked, 5 skipped · 5 links to 5 targets on 1 page · 0.0 s"},
		{result.Summary{OK: 1, Results: 1, References: 1, Pages: 1},
			"no links found · 0 links to 1 target on 1 page · 0.0 s"},
		{result.Summary{Pages: 1}, "no links found · 0 links to 0 targets on 1 page · 0.0 s"},
	} {
		if got := summaryLine(&test.s); got != test.want {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:                        "0.0 s",
		49 * time.Millisecond:               "0.0 s",
		50 * time.Millisecond:               "0.1 s",
		59951 * time.Millisecond:            "1 min 0 s",
		time.Hour - time.Millisecond:        "1 h 0 min",
		time.Hour - 501*time.Millisecond:    "59 min 59 s",
		25*time.Hour + 59*time.Second:       "25 h 1 min",
		3*time.Minute + 5*time.Second + 4e8: "3 min 5 s",
	} {
		if got := seconds(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

// Findings about a file are listed under the same name as findings in it, however its name is
// encoded.
func TestTextListsFindingsAboutAFileWithIt(t *testing.T) {
	run := contractRun()
	r := run.Results[1]
	r.References = r.References[:1]
	r.References[0].Page = "my docs/a#b.html"
	run.Results = []*result.Result{r, {URL: "my%20docs/a%23b.html", Verdict: check.OK, Code: check.CodeOK, Internal: true,
		Warnings: []check.Warning{{Code: check.CodeFragmentDuplicate, Message: "twice"}}}}
	got := render(t, "text", Options{}, run)
	if n := strings.Count(got, "\nmy docs/a#b.html\n"); !strings.HasPrefix(got, "my docs/a#b.html\n") || n != 1 {
		t.Errorf("got\n%s", got)
	}
}

func TestTextFoldsSiteWideFindings(t *testing.T) {
	for _, test := range []struct {
		pages int
		lines int
	}{{shownPlaces, shownPlaces * 3}, {shownPlaces + 1, 5}, {siteWidePages + 1, 5}, {1000, 5}} {
		run := contractRun()
		r := run.Results[1]
		ref := r.References[0]
		r.References = nil
		for i := range test.pages {
			ref.Page = fmt.Sprintf("p/%d.html", i)
			r.References = append(r.References, ref)
		}
		run.Results = []*result.Result{r}
		got := render(t, "text", Options{}, run)
		findings, _, _ := strings.Cut(got, "2 broken,")
		if n := strings.Count(findings, "\n"); n != test.lines {
			t.Errorf("%d pages: %d lines, want %d:\n%s", test.pages, n, test.lines, got)
		}
		if every := render(t, "text", Options{EveryPlace: true}, run); strings.Count(every, "12:8 ") != test.pages {
			t.Errorf("%d pages: not every place is listed:\n%s", test.pages, every)
		}
		if folded := strings.Contains(got, fmt.Sprintf("%d pages ", test.pages)); folded != (test.pages > shownPlaces) {
			t.Errorf("%d pages: folded is %v:\n%s", test.pages, folded, got)
		}
	}
}

// A warning that a template causes on many pages is listed once, whatever the line on each.
func TestTextFoldsWarningsAboutPages(t *testing.T) {
	for pages, lines := range map[int]int{siteWidePages: 3*siteWidePages + 1, siteWidePages + 1: 5} {
		run := contractRun()
		run.Results = nil
		for i := range pages {
			run.Results = append(run.Results, &result.Result{URL: fmt.Sprintf("p/%02d.html", i), Internal: true, Verdict: check.OK, Code: check.CodeOK,
				Warnings: []check.Warning{{Code: check.CodeFragmentDuplicate, Message: fmt.Sprintf(`the id "version" (line %d) appears more than once`, i+1)}}})
		}
		got := render(t, "text", Options{}, run)
		findings, _, _ := strings.Cut(got, "2 broken,")
		if n := strings.Count(findings, "\n"); n != lines {
			t.Errorf("%d pages: %d lines, want %d:\n%s", pages, n, lines, got)
		}
		if folded := strings.Contains(got, fmt.Sprintf(`%d pages  warning     fragment-duplicate  the id "version" appears more than once`, pages)); folded != (pages > siteWidePages) {
			t.Errorf("%d pages: folded is %v:\n%s", pages, folded, got)
		}
		if every := render(t, "text", Options{EveryPlace: true}, run); strings.Count(every, "(line ") != pages {
			t.Errorf("%d pages: not every one is listed:\n%s", pages, every)
		}
	}
}

// Warnings that many pages have, but each with another id, are listed once, beside those with the
// same id.
func TestTextFoldsUnlikeWarningsAboutPages(t *testing.T) {
	for pages, folded := range map[int]bool{siteWidePages: false, siteWidePages + 1: true} {
		run := contractRun()
		run.Results = nil
		for i := range pages + 2*siteWidePages {
			id := "version"
			if i < pages {
				id = fmt.Sprint("page ", i)
			}
			run.Results = append(run.Results, &result.Result{URL: fmt.Sprintf("p/%02d.html", i), Internal: true, Verdict: check.OK, Code: check.CodeOK,
				Warnings: []check.Warning{{Code: check.CodeFragmentDuplicate, Message: fmt.Sprintf(`the id %q (line %d) appears more than once`, id, i+1)}}})
		}
		got := render(t, "text", Options{}, run)
		for _, line := range []string{fmt.Sprintf("%d pages  warning     fragment-duplicate  duplicate id", pages), "40 pages  warning     fragment-duplicate  the id \"version\" appears more than once"} {
			if has := strings.Contains(got, line); has != (folded || !strings.Contains(line, "duplicate id")) {
				t.Errorf("%d pages: has %q: %v\n%s", pages, line, has, got)
			}
		}
		if listed := strings.Count(got, "(line "); folded && listed != 0 || !folded && listed != pages {
			t.Errorf("%d pages: %d are listed:\n%s", pages, listed, got)
		}
		if every := render(t, "text", Options{EveryPlace: true}, run); strings.Count(every, "(line ") != pages+2*siteWidePages {
			t.Errorf("%d pages: not every one is listed:\n%s", pages, every)
		}
	}
}

// Many links on a page to one document that is missing, or that lacks fragments, are folded.
func TestTextFoldsRepeatedFindingsOnAPage(t *testing.T) {
	for _, test := range []struct {
		links int
		code  check.Code
		lines int
		more  string
	}{
		{maxPlacesOnPage, check.CodeFileMissing, 1 + maxPlacesOnPage, ""},
		{maxPlacesOnPage + 1, check.CodeFileMissing, 1 + shownPlaces + 1, "  and 8 more like these (file-missing): matrix.html\n"},
		{1000, check.CodeFileMissing, 1 + shownPlaces + 1, "  and 997 more like these (file-missing): matrix.html\n"},
		{1000, check.CodeFragmentMissing, 1 + shownPlaces + 1, "  and 997 more like these (fragment-missing): matrix.html\n"},
		{1000, check.CodeOK, 1 + 1000, ""},
	} {
		run := contractRun()
		run.Results = nil
		verdict := check.Broken
		if test.code == check.CodeOK {
			verdict = check.OK
		}
		for i := range test.links {
			url := fmt.Sprintf("matrix.html#R-%d", i)
			run.Results = append(run.Results, &result.Result{URL: url, Verdict: verdict, Code: test.code,
				References: []result.Reference{{Page: "requirements.html", Line: i + 1, Column: 1, Raw: url}}})
		}
		if every := render(t, "text", Options{Show: ShowAll}, run); strings.Count(every, " matrix.html#R-") != test.links {
			t.Errorf("%d links, %s: not every place is listed:\n%s", test.links, test.code, every)
		}
		got := render(t, "text", Options{Show: ShowDefault | ShowOK}, run)
		findings, _, _ := strings.Cut(got, "\n\n")
		if n := strings.Count(findings+"\n", "\n"); n != test.lines || !strings.Contains(findings+"\n", test.more) {
			t.Errorf("%d links, %s: %d lines, want %d with %q:\n%s", test.links, test.code, n, test.lines, test.more, got)
		}
	}
}

// Links on a page to many missing documents of another directory are folded.
func TestTextFoldsAMissingDirectory(t *testing.T) {
	for _, test := range []struct {
		page, prefix string
		links        int
		code         check.Code
		more         string
	}{
		{"a/requirements.html", "a/matrix/", maxMissingOnPage, check.CodeFileMissing, ""},
		{"a/requirements.html", "a/matrix/", maxMissingOnPage + 1, check.CodeFileMissing, "  and 98 more like these (file-missing): a/matrix/\n"},
		{"a/requirements.html", "a/matrix/", 2000, "http-404", "  and 1997 more like these (http-404): a/matrix/\n"},
		{"a/index.html", "a/", 2000, check.CodeFileMissing, ""},
		{"a/requirements.html", "a/matrix/", 2000, "http-500", ""},
	} {
		run := contractRun()
		run.Results = nil
		for i := range test.links {
			url := fmt.Sprintf("%s%d.html", test.prefix, i)
			run.Results = append(run.Results, &result.Result{URL: url, Verdict: check.Broken, Code: test.code,
				References: []result.Reference{{Page: test.page, Line: i + 1, Column: 1, Raw: url}}})
		}
		for _, o := range []Options{{Show: ShowAll}, {Show: ShowDefault, EveryPlace: true}} {
			if every := render(t, "text", o, run); strings.Count(every, ".html\n") < test.links {
				t.Errorf("%+v: not every place is listed:\n%s", test, every)
			}
		}
		want := test.links
		if test.more != "" {
			want = shownPlaces
		}
		got := render(t, "text", Options{Show: ShowDefault}, run)
		if n := strings.Count(got, "broken      "); n != want || !strings.Contains(got, test.more) {
			t.Errorf("%+v: %d lines, want %d:\n%s", test, n, want, got[:min(len(got), 2000)])
		}
	}
}

func TestTextShowsOnlyRequestedResults(t *testing.T) {
	for show, want := range map[Show]string{
		ShowBroken:               "broken",
		ShowUnverified:           "unverified",
		ShowWarning:              "warning",
		ShowOK:                   "ok",
		ShowSkipped:              "skipped",
		ShowBroken | ShowWarning: "broken warning",
		ShowAll:                  "broken info ok skipped unverified warning",
		ShowWarning | ShowInfo:   "info warning",
		ShowInfo:                 "",
	} {
		words := map[string]bool{}
		for line := range strings.Lines(render(t, "text", Options{Show: show}, fullRun())) {
			if f := strings.Fields(line); strings.HasPrefix(line, "  ") && f[0] != "first" {
				word := f[1]
				if word == "pages" {
					word = f[2]
				}
				words[word] = true
			}
		}
		var got []string
		for _, w := range []string{"broken", "info", "ok", "skipped", "unverified", "warning"} {
			if words[w] {
				got = append(got, w)
				delete(words, w)
			}
		}
		if strings.Join(got, " ") != want || len(words) > 0 {
			t.Errorf("%v: shows %v and %v, want %q", show, got, words, want)
		}
	}
}

func TestTextIsHarmless(t *testing.T) {
	for _, color := range []bool{false, true} {
		got := render(t, "text", Options{Show: ShowAll, Color: color}, hostileRun())
		if color {
			for _, word := range []string{"broken", "unverified", "warning", "ok", "info", "skipped"} {
				got = strings.ReplaceAll(got, wordColor(word)+word+colorOff, word)
			}
		}
		for i, r := range got {
			if invisible(r) && r != '\n' {
				t.Fatalf("holds %U in %q", r, got[max(0, i-40):i+4])
			}
		}
		if !utf8.ValidString(got) {
			t.Error("is not UTF-8")
		}
		if strings.Contains(got, "secret") {
			t.Error("holds a password")
		}
		for line := range strings.Lines(got) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##vso[") {
				t.Errorf("is a command to a CI system: %s", line)
			}
		}
	}
}

func TestEscapeCommands(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"#":                    "#",
		"##":                   "##",
		"a#b[c]":               "a#b[c]",
		"## [a](b)":            "## [a](b)",
		"##[error]x":           `\u0023#[error]x`,
		"x ##vso[task a]##[b]": `x \u0023#vso[task a]\u0023#[b]`,
		"####TeamCity[x":       `##\u0023#TeamCity[x`,
	} {
		got := visible(in)
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if again := visible(got); again != got {
			t.Errorf("%q: again %q", got, again)
		}
	}
	for in, want := range map[string]string{"::a": `\u003a:a`, " ::a": ` \u003a:a`, "a::b": "a::b", ":": ":"} {
		if got := heading(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// wide returns the lines that are wider than a terminal although they could be broken
// between words.
func wide(report string, width int) (lines []string) {
	for line := range strings.Lines(report) {
		line = strings.TrimRight(line, "\n")
		if utf8.RuneCountInString(line) > width && len(strings.Fields(line)) > 1 {
			lines = append(lines, line)
		}
	}
	return lines
}

// A report fits the terminal without breaking words. Only texts are shortened.
func TestTextWidth(t *testing.T) {
	run := contractRun()
	run.Results[1].References[0].Text = strings.Repeat("many words ", 20)
	for _, width := range []int{0, 1, 80, 120, 1000} {
		got := render(t, "text", Options{Width: width}, run)
		row, _, _ := strings.Cut(got, "  40:3 ")
		if !strings.Contains(row, `…"`) {
			t.Errorf("width %d: text is not shortened: %s", width, row)
		}
		if width >= 80 && len(wide(got, width)) > 0 {
			t.Errorf("width %d: wider lines: %q", width, wide(got, width))
		}
		if lines := strings.Count(got, "\n"); (width == 1 || width == 80) != (lines > 5) {
			t.Errorf("width %d: %d lines", width, lines)
		}
		if !strings.Contains(strings.Join(strings.Fields(row), " "), "https://example.com/gone ") {
			t.Errorf("width %d: URL is shortened: %s", width, row)
		}
	}
}

// A long URL does not widen rows with short URLs, and is not broken.
func TestTextFitsNarrowTerminals(t *testing.T) {
	run := contractRun()
	run.Results[1].URL = "https://example.com/" + strings.Repeat("long/", 10)
	run.Results[0].URL, run.Results[0].Suggestions = "b#c", nil
	for _, width := range []int{60, 80, 100, 120} {
		got := render(t, "text", Options{Width: width}, run)
		if len(wide(got, width)) > 0 {
			t.Errorf("width %d: wider lines: %q", width, wide(got, width))
		}
		if _, row, _ := strings.Cut(got, "  40:3 "); !strings.Contains(got, run.Results[1].URL) || !strings.HasPrefix(row, "  broken      fragment-missing  b#c  ") {
			t.Errorf("width %d: lacks a URL:\n%s", width, got)
		}
	}
}

// On a terminal, the origin of the site is written once. A program gets complete URLs.
func TestTextOmitsOrigin(t *testing.T) {
	run := contractRun()
	run.Head.Targets = []string{"https://example.com/docs/"}
	run.Results[0].URL, run.Results[0].References[0].Page = "https://example.com/guide.html#setup", "https://example.com/docs/install.html"
	run.Results[0].Suggestions = []check.Suggestion{{URL: "https://example.com/setup.html"}, {URL: "https://web.archive.org/web/https://example.com/setup.html"}}
	run.Results[1].URL, run.Results[1].References[0].Page = "https://example.community/gone", "https://example.com/docs/install.html"
	const want = `in https://example.com/

/docs/install.html
  12:8   broken      http-404          https://example.community/gone  "Download"
  40:3   broken      fragment-missing  /guide.html#setup               "Setup"   did you mean /setup.html or https://web.archive.org/web/https://example.com/setup.html?

2 broken,`
	if got := render(t, "text", Options{Width: 200}, run); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := render(t, "text", Options{}, run); !strings.HasPrefix(got, "https://example.com/docs/install.html\n") || !strings.Contains(got, " https://example.com/guide.html#setup ") {
		t.Errorf("without a terminal:\n%s", got)
	}
}

// Files outside the working directory have absolute paths, if the working directory is
// known.
func TestTextOutsideWorkingDirectory(t *testing.T) {
	run := contractRun()
	run.Head.Targets = []string{"/srv/docs"}
	run.Results[0].URL, run.Results[0].References[0].Page = "../srv/docs/my%20guide.html#setup/../x", "../srv/docs/my install.html"
	run.Results = run.Results[:1]
	for dir, want := range map[string]string{
		"":      "../srv/docs/my install.html\n  40:3   broken      fragment-missing  ../srv/docs/my%20guide.html#setup/../x  \"Setup\"",
		"/home": "/srv/docs/my install.html\n  40:3   broken      fragment-missing  /srv/docs/my%20guide.html#setup/../x  \"Setup\"",
	} {
		if got := render(t, "text", Options{RunDir: dir}, run); !strings.HasPrefix(got, want) {
			t.Errorf("in %q: got\n%s\nwant\n%s", dir, got, want)
		}
	}
	const want = "in /srv/docs/\n\nmy install.html\n  40:3   broken      fragment-missing  my%20guide.html#setup/../x      \"Setup\""
	if got := render(t, "text", Options{RunDir: "/home", Width: 120}, run); !strings.HasPrefix(got, want) {
		t.Errorf("on a terminal: got\n%s\nwant\n%s", got, want)
	}
}

// What several pages have in common is listed once, whichever way the links are alike.
func TestTextBlocks(t *testing.T) {
	run := &Report{Summary: result.Summary{OK: 12000, Skipped: 3, Broken: 90 + 8 + 6 + 6 + 30, Results: 12143, References: 2535564, Links: 2535564, Pages: 90, Elapsed: time.Second,
		ByCode: map[check.Code]int{check.CodeFragmentMissing: 98, check.CodeFileMissing: 42, check.CodeExternal: 3}}}
	add := func(code check.Code, url, raw string, pages ...string) {
		r := &result.Result{URL: url, Verdict: check.Broken, Code: code, Internal: true}
		for _, page := range pages {
			r.References = append(r.References, result.Reference{Page: page, Line: 5, Column: 3, Raw: raw, Text: raw})
		}
		run.Results = append(run.Results, r)
	}
	for i := range 90 {
		add(check.CodeFragmentMissing, fmt.Sprintf("shop/%02d.html#reviews", i), "#reviews", fmt.Sprintf("shop/%02d.html", i))
	}
	for i := range 8 {
		add(check.CodeFragmentMissing, fmt.Sprintf("api.html#f%d", i), fmt.Sprintf("api.html#f%d", i), fmt.Sprintf("p%d.html", i%2))
	}
	for i := range 6 {
		add(check.CodeFileMissing, fmt.Sprintf("images/2019/%d.png", i), fmt.Sprintf("images/2019/%d.png", i), "a.html", "b.html")
	}
	for i := range 6 {
		add(check.CodeFileMissing, fmt.Sprintf("gone.html#s%d", i), fmt.Sprintf("gone.html#s%d", i), fmt.Sprintf("q%d.html", i))
	}
	add(check.CodeFileMissing, "about.html", "about.html", "a.html", "b.html", "c.html", "d.html", "e.html")
	add(check.CodeFileMissing, "once.html", "once.html", "a.html")
	const want = `on several pages
  90 pages  broken      fragment-missing  #reviews                        "#reviews"   90 targets
      first at shop/00.html:5:3, shop/01.html:5:3, shop/02.html:5:3
  6 pages   broken      file-missing      gone.html                       6 fragments
      first at q0.html:5:3, q1.html:5:3, q2.html:5:3
  5 pages   broken      file-missing      about.html                      "about.html"
      first at a.html:5:3, b.html:5:3, c.html:5:3
  2 pages   broken      file-missing      images/2019/                    6 documents
      0.png, 1.png, 2.png, 3.png, 4.png, 5.png; first at a.html:5:3, b.html:5:3
  2 pages   broken      fragment-missing  api.html                        8 fragments
      #f0, #f1, #f2, #f3, #f4, #f5, 2 more; first at p0.html:5:3, p1.html:5:3

a.html
  5:3       broken      file-missing      once.html                       "once.html"

98 fragment-missing, 42 file-missing
not listed: some places (-v or --show all), 3 skipped (--show skipped), 12,000 ok (--show ok)
140 broken · 2,535,564 links to 12,143 targets on 90 pages · 1.0 s
`
	if got := render(t, "text", Options{}, run); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, width := range []int{60, 80} {
		if got := render(t, "text", Options{Width: width}, run); len(wide(got, width)) > 0 {
			t.Errorf("width %d: wider lines: %q", width, wide(got, width))
		}
	}
	every := render(t, "text", Options{EveryPlace: true}, run)
	if n := strings.Count(every, "  5:3 "); n != 90+8+12+6+5+1 || strings.Contains(every, "some places") {
		t.Errorf("%d places of 122 are listed:\n%s", n, every)
	}
}

// A quiet report has findings only.
func TestTextFindingsOnly(t *testing.T) {
	got := render(t, "text", Options{FindingsOnly: true, Show: ShowBroken}, fullRun())
	if want := "on several pages\n"; !strings.HasPrefix(got, want) || strings.Contains(got, "links to") || strings.HasSuffix(got, "\n\n") {
		t.Errorf("got\n%s", got)
	}
	run := contractRun()
	run.Results = nil
	if got := render(t, "text", Options{FindingsOnly: true, Show: ShowBroken}, run); got != "" {
		t.Errorf("nothing is broken, and the report is %q", got)
	}
}

// What --show hides is counted, with the way to see it.
func TestTextSaysWhatIsHidden(t *testing.T) {
	got := render(t, "text", Options{Show: ShowBroken}, contractRun())
	if want := "not listed: 1 unverified (--show unverified), 3 warnings (--show warning)\n2 broken, 1 unverified, 3 warnings · "; !strings.Contains(got, want) {
		t.Errorf("got\n%s", got)
	}
}

// A link to a host without a scheme is a link to a file.
func TestTextOfLinksWithoutScheme(t *testing.T) {
	for raw, want := range map[string]string{
		"www.example.com/a": "did you mean https://www.example.com/a?",
		"WWW.example.com":   "did you mean https://WWW.example.com?",
		"www":               "",
		"/www.example.com":  "",
	} {
		run := contractRun()
		r := run.Results[0]
		r.URL, r.Code, r.Status, r.Message, r.Suggestions = "docs/x", check.CodeFileMissing, 0, "", nil
		r.References[0].Raw = raw
		run.Results = []*result.Result{r}
		row := strings.Split(render(t, "text", Options{}, run), "\n")[1]
		if _, got, _ := strings.Cut(row, `"Setup"`); strings.TrimSpace(got) != want {
			t.Errorf("%s: hint %q, want %q", raw, got, want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	suggest := func(urls ...string) (s []check.Suggestion) {
		for _, u := range urls {
			s = append(s, check.Suggestion{URL: u})
		}
		return s
	}
	for _, test := range []struct {
		url  string
		s    []check.Suggestion
		want string
	}{
		{"a#b", nil, ""},
		{"a#b", suggest("a#c"), "did you mean #c?"},
		{"a#b", suggest("a", "ab#c"), "did you mean a or ab#c?"},
		{"x", suggest("1", "2", "3", "4"), "did you mean 1, 2 or 3?"},
		{"x", []check.Suggestion{check.ArchivedCopy("https://web.archive.org/x", time.Time{})}, "archived copy: https://web.archive.org/x"},
		{"x", append(suggest("y"), check.ArchivedCopy("https://web.archive.org/x", started)), "did you mean y? archived copy of 2026-01-02: https://web.archive.org/x"},
	} {
		if got := didYouMean(test.url, test.s); got != test.want {
			t.Errorf("%s: got %q, want %q", test.url, got, test.want)
		}
	}
}

func TestQuoted(t *testing.T) {
	for _, test := range []struct {
		in    string
		width int
		want  string
	}{
		{"", 10, `""`},
		{"a\n\t b", 10, `"a b"`},
		{`say "hi" \ there`, 60, `"say \"hi\" \\ there"`},
		{"\x1b[0m" + `\u001b`, 60, `"\u001b[0m\\u001b"`},
		{"0123456789", 12, `"0123456789"`},
		{"01234567890", 12, `"012345678…"`},
		{"ééééééééééé", 12, `"ééééééééé…"`},
		{"a\u2028b\u0085c", 60, `"a\u2028b\u0085c"`},
		{"\U000e0041", 60, `"\U000e0041"`},
	} {
		if got := quoted(test.in, test.width); got != test.want {
			t.Errorf("%q: got %s, want %s", test.in, got, test.want)
		}
	}
}

// A row states the reason unless its code and the URL of the target do.
func TestTextReasons(t *testing.T) {
	const page = "https://example.com/"
	moved := []result.Hop{{URL: page + "old", Status: 302}}
	for _, test := range []struct {
		name   string
		result result.Result
		want   string // after the URL
	}{
		{"a status says all", result.Result{Code: "http-404", Message: "the server answered 404 (not found)"}, ""},
		{"it is another address that answers so", result.Result{Code: "http-404", Message: "the server answered 404 (not found)", Redirects: moved, FinalURL: page + "new"}, "redirected to https://example.com/new"},
		{"a slash at the end is no other address", result.Result{Code: "http-404", Redirects: moved, FinalURL: page + "old/"}, ""},
		{"a loop leads nowhere", result.Result{Code: check.CodeRedirectLoop, Message: "the redirects lead back to " + page + "new", Redirects: moved, FinalURL: page + "new"}, ""},
		{"what is malformed", result.Result{Code: "protocol-error", Message: "the answer's header is malformed"}, "the answer's header is malformed"},
		{"why, and what was meant", result.Result{Code: check.CodeURIInvalid, Message: "host is missing", Suggestions: []check.Suggestion{{URL: page + "new"}}}, "host is missing   did you mean https://example.com/new?"},
		{"the URL again", result.Result{Code: check.CodeDNSFailure, Message: page + "old: the resolver is down"}, "the resolver is down"},
		{"a scheme", result.Result{Code: check.CodeSchemeUnknown, Message: `the scheme "std" is unknown`}, ""},
		{"a scheme for which a better one is known", result.Result{Code: check.CodeSchemeUnknown, Message: `the scheme "htps" is unknown; did you mean "https"?`}, `the scheme "htps" is unknown; did you mean "https"?`},
		{"a file that is not there", result.Result{Code: check.CodeFileMissing, Message: page + "old: there is no such file"}, ""},
		{"a directory that is", result.Result{Code: check.CodeFileMissing, Message: page + "old: the directory has no index.html"}, "the directory has no index.html"},
		{"a place that may be made", result.Result{Code: check.CodeFragmentUnverified, Message: `no element has the id "x" in the delivered HTML; a script may create it`}, ""},
		{"a place that was not looked for", result.Result{Code: check.CodeFragmentUnverified, Message: `the page was not read, so the id "x" could not be checked`}, `the page was not read, so the id "x" could not be checked`},
		{"a place that a redirect leads to", result.Result{Code: check.CodeFragmentMissing, Message: `redirected to https://example.com/new#x: no element has the id "x"`, Redirects: moved, FinalURL: page + "new"}, `redirected to https://example.com/new#x: no element has the id "x"`},
		{"no answer", result.Result{Code: check.CodeTimeout, Message: "example.com:443: no connection within 20s"}, ""},
		{"no question", result.Result{Code: check.CodeTimeout, Message: "not asked: example.com let many requests before go without any answer"}, "not asked: example.com let many requests before go without any answer"},
		{"the rule", result.Result{Verdict: check.Skipped, Code: check.CodeExcluded, Message: `excluded by \.zip$`}, `excluded by \.zip$`},
		{"other sites", result.Result{Verdict: check.Skipped, Code: check.CodeExternal, Message: "external links are not checked"}, ""},
		{"a warning without an address", result.Result{Verdict: check.OK, Code: check.CodeOK, Redirects: moved, FinalURL: page, Warnings: []check.Warning{{Code: check.CodeRedirectToLogin, Message: "redirected to the sign-in page " + page}}}, "redirected to the sign-in page https://example.com/"},
		{"a warning with one", result.Result{Verdict: check.OK, Code: check.CodeOK, Warnings: []check.Warning{{Code: check.CodeRedirectPermanent, Message: "moved permanently to " + page, Proposal: page}}}, "-> https://example.com/"},
		{"a code of a newer version", result.Result{Code: "tomorrow", Message: "it will be gone"}, "it will be gone"},
	} {
		r := test.result
		r.URL = page + "old"
		if r.Code != check.CodeOK && r.Verdict == check.OK {
			r.Verdict = check.Broken
		}
		r.References = []result.Reference{{Page: page, Line: 1, Column: 1}}
		run := &Report{Summary: result.Summary{Results: 1}, Results: []*result.Result{&r}}
		rows := strings.Split(render(t, "text", Options{Show: ShowDefault | ShowSkipped}, run), "\n")
		if _, got, _ := strings.Cut(rows[1], r.URL); strings.TrimSpace(got) != test.want {
			t.Errorf("%s: %q has %q behind the URL, want %q", test.name, rows[1], strings.TrimSpace(got), test.want)
		}
	}
}

// Messages that only repeat the code are omitted. The engine's TestMessagesThatRepeatTheCode
// holds its messages to these endings.
func TestReasonOmitsMessagesThatRepeatTheCode(t *testing.T) {
	for code, message := range map[check.Code]string{
		check.CodeFragmentUnverified: "the delivered HTML has no element with the id or name \"x\"; a script may create it",
		check.CodeSchemeUnknown:      "the scheme \"qqqqq\" is unknown",
	} {
		if got := reason("https://example.com/", code, message); got != "" {
			t.Errorf("%s: the reason is %q, want none", code, got)
		}
	}
}

// Findings are in sections: what is broken comes first. The same finding of a content check on
// many pages is one row.
func TestTextSections(t *testing.T) {
	run := &Report{Summary: result.Summary{Findings: &result.FindingCounts{}}}
	add := func(page string, line int, verdict check.Verdict, code check.Code, rule, message string) {
		run.Results = append(run.Results, &result.Result{Kind: result.KindPage, URL: page, Verdict: verdict, Code: code, Rule: rule, Message: message,
			Internal: true, References: []result.Reference{{Page: page, Line: line, Column: min(line, 1)}}})
	}
	add("a.html", 0, check.VerdictWarning, "title-missing", "", "the page has no title")
	add("a.html", 9, check.Broken, "sri-mismatch", "", "no hash fits")
	add("b.html", 3, check.VerdictWarning, "html-syntax", "stray-end-tag", "no b is open")
	for i := range siteWidePages + 1 {
		add(fmt.Sprintf("p%02d.html", i), 0, check.VerdictWarning, "h1-missing", "", "the page has no h1")
	}
	got := render(t, "text", Options{Show: ShowAll &^ ShowInfo}, run)
	const want = `a.html
  9:1       broken      sri-mismatch   no hash fits

on several pages
  21 pages  warning     h1-missing     page without a main heading
      first at p00.html, p01.html, p02.html

a.html
  -         warning     title-missing  the page has no title

b.html
  3:1       warning     html-syntax    stray-end-tag: no b is open
`
	if body, _, _ := strings.Cut(got, "\nnot listed"); body != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
