package captures

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// told returns what is known of a page, in one line.
func told(a *check.Archived, err error) string {
	if err != nil {
		return "no answer: " + err.Error()
	}
	s := a.Class
	if !a.FirstSeen.IsZero() {
		s += " from " + a.FirstSeen.Format("2006")
	}
	if !a.LastSeen.IsZero() {
		s += " to " + a.LastSeen.Format("2006")
	}
	if a.LastGood != nil {
		s += fmt.Sprintf(", good %s %s", a.LastGood.Time.Format("2006"), a.LastGood.URL)
	}
	if a.MovedTo != "" {
		s += ", moved to " + a.MovedTo
	}
	return s
}

const columns = `[["urlkey","timestamp","original","mimetype","statuscode","digest","length"],`

func TestCDX(t *testing.T) {
	row := func(year, status string) string {
		return `["k","` + year + `0102030405","http://gone.org/a,b","text/html","` + status + `","D","1"]`
	}
	long := columns + strings.Repeat(row("2001", "200")+",", 2*MaxAnswer/90)
	for _, c := range []struct{ name, answer, want string }{
		{"nothing", ``, "never-seen"},
		{"no row", `[]`, "never-seen"},
		{"names alone", `[["timestamp","original"]]`, "never-seen"},
		{"rotted", columns + row("2001", "200") + "," + row("2009", "200") + "," + row("2015", "404") + "]", "rotted from 2001 to 2015, good 2009 https://a.test/web/20090102030405/http://gone.org/a,b"},
		{"revisit", columns + row("2001", "200") + "," + row("2009", "-") + "]", "rotted from 2001 to 2009, good 2009 https://a.test/web/20090102030405/http://gone.org/a,b"},
		{"revisit of an error", columns + row("2001", "200") + "," + row("2005", "404") + "," + row("2009", "-") + "]", "rotted from 2001 to 2009, good 2001 https://a.test/web/20010102030405/http://gone.org/a,b"},
		{"moved", columns + row("2001", "200") + "," + row("2009", "301") + "]", "moved from 2001 to 2009, good 2001 https://a.test/web/20010102030405/http://gone.org/a,b"},
		{"moved before anybody looked", columns + row("2009", "301") + "]", "unclear from 2009 to 2009"},
		{"temporarily", columns + row("2001", "200") + "," + row("2009", "302") + "]", "rotted from 2001 to 2009, good 2001 https://a.test/web/20010102030405/http://gone.org/a,b"},
		{"errors", columns + row("2001", "404") + "," + row("2009", "503") + "]", "unclear from 2001 to 2009"},
		{"lines", `{"timestamp": "20010102030405", "url": "http://gone.org/", "status": "200"}` + "\n" + `{"timestamp": "20090102030405", "original": "http://gone.org/", "statuscode": 308, "redirect": "/new"}` + "\n", "moved from 2001 to 2009, good 2001 https://a.test/web/20010102030405/http://gone.org/, moved to http://gone.org/new"},
		{"redirect that leads nowhere", `{"timestamp": "20090102030405", "url": "http://gone.org/", "status": "301", "redirect": "javascript:alert(1)"}`, "unclear from 2009 to 2009"},
		{"too long and malformed", columns + row("2001", "200") + ",17," + long[len(columns):], "no answer: read its answer: it is not JSON as CDX servers write it"},
		{"too long", long, "rotted from 2001, good 2001 https://a.test/web/20010102030405/http://gone.org/a,b"},
		{"HTML", `<html>try again</html>`, "no answer: read its answer: it is not JSON as CDX servers write it"},
		{"cut", columns + row("2001", "200") + ",", "no answer: read its answer: it is not JSON as CDX servers write it"},
		{"other JSON", `{"error": "busy"}`, `no answer: read its answer: the timestamp "" is not a time`},
		{"no array", `[1, 2]`, "no answer: read its answer: it is not JSON as CDX servers write it"},
		{"no time", columns + row("20x1", "200") + "]", `no answer: read its answer: the timestamp "20x10102030405" is not a time`},
		{"no web address", `{"timestamp": "20090102030405", "url": "javascript:alert(1)", "status": "200"}`, "no answer: read its answer: the address of a capture is neither http nor https"},
	} {
		if got := told(CDX([]byte(c.answer), "https://a.test")); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestTimeMap(t *testing.T) {
	memento := func(year, more string) string {
		return `<https://a.test/` + year + `/http://gone.org/a;b,c>;datetime="Fri, 02 Jan ` + year + ` 03:04:05 GMT";rel="` + more + `memento"`
	}
	head := `<http://gone.org/>;rel="original",` + "\n" + `<https://a.test/map>; rel="self"; type="application/link-format"; from="Fri, 02 Jan 2009 03:04:05 GMT"; until="Fri, 02 Jan 2015 03:04:05 GMT",` + "\n"
	for _, c := range []struct{ name, answer, want string }{
		{"nothing", "", "never-seen"},
		{"no memento", head, "never-seen"},
		{"one", head + memento("2009", "first last "), "rotted from 2009 to 2009, good 2009 https://a.test/2009/http://gone.org/a;b,c"},
		{"several", head + memento("2009", "first ") + ",\n" + memento("2015", "last "), "rotted from 2009 to 2015, good 2015 https://a.test/2015/http://gone.org/a;b,c"},
		{"other order", `<https://a.test/m> ; title="a, \"b\"; c" ; rel=memento ; datetime="Fri, 02 Jan 2009 03:04:05 GMT"`, "rotted from 2009 to 2009, good 2009 https://a.test/m"},
		{"more pages", head + memento("2009", "first ") + `, <https://a.test/map2>;rel="timemap";until="Fri, 02 Jan 2026 03:04:05 GMT"`, "rotted from 2009 to 2026, good 2009 https://a.test/2009/http://gone.org/a;b,c"},
		{"more pages until nobody knows", memento("2009", "first ") + `, <https://a.test/map2>;rel="timemap"`, "rotted from 2009, good 2009 https://a.test/2009/http://gone.org/a;b,c"},
		{"itself", head + memento("2009", "first last ") + `, <https://a.test/map>;rel="timemap";type="application/link-format"`, "rotted from 2009 to 2009, good 2009 https://a.test/2009/http://gone.org/a;b,c"},
		{"itself in another format", head + memento("2009", "first last ") + `, <https://a.test/json>;rel="timemap";type="application/json"`, "rotted from 2009 to 2009, good 2009 https://a.test/2009/http://gone.org/a;b,c"},
		{"another page in the same format", memento("2009", "") + `, <https://a.test/map2>;type="application/link-format; charset=utf-8";rel="timemap"`, "rotted from 2009, good 2009 https://a.test/2009/http://gone.org/a;b,c"},
		{"too long", strings.Repeat(memento("2009", "")+",\n", 2*MaxAnswer/90), "rotted from 2009, good 2009 https://a.test/2009/http://gone.org/a;b,c"},
		{"HTML", "<!doctype html><p>Busy", "no answer: read its answer: it is not a TimeMap in link format"},
		{"JSON", "[]", "no answer: read its answer: it is not a TimeMap in link format"},
		{"no time", `<https://a.test/m>;rel=memento;datetime="yesterday"`, `no answer: read its answer: the datetime "yesterday" is not a time`},
		{"no web address", strings.Replace(memento("2009", ""), "https", "ftp", 1), "no answer: read its answer: the address of a capture is neither http nor https"},
		{"cut", `<https://a.test/m>;rel="memen`, "no answer: read its answer: it is not a TimeMap in link format"},
	} {
		if got := told(TimeMap([]byte(c.answer))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func FuzzCaptures(f *testing.F) {
	f.Add([]byte(columns + `["k","20010102030405","http://gone.org/","t","-","D","1"]]`))
	f.Add([]byte(`{"timestamp": "20010102030405", "url": "http://gone.org/", "status": "301", "redirect": "//x"}`))
	f.Add([]byte(`<https://a.test/m>;rel="first memento";datetime="Fri, 02 Jan 2009 03:04:05 GMT",<x>;rel=timemap`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, read := range []func() (*check.Archived, error){
			func() (*check.Archived, error) { return CDX(answer, "https://a.test") },
			func() (*check.Archived, error) { return TimeMap(answer) },
		} {
			a, err := read()
			switch {
			case err != nil:
			case a.Class == check.NeverSeen && !a.FirstSeen.IsZero(), a.LastGood != nil && !strings.HasPrefix(a.LastGood.URL, "http"),
				a.MovedTo != "" && !strings.HasPrefix(a.MovedTo, "http"):
				t.Fatalf("%q is read as %s", answer, told(a, nil))
			}
		}
	})
}
