package extract

import (
	"strings"
	"testing"
)

// Links of other formats act if their text does.
func TestActsOfOtherFormats(t *testing.T) {
	acts := func(text []byte) bool { return string(text) == "Log out" }
	for name, text := range map[string]string{
		"text/markdown":       "[Log out](a) [x](b) [Log out][r] ![Log out](c)\n\n<a href=d>Log out</a>\n\n[r]: e\n",
		"application/rss+xml": `<rss><channel><item><title>Log out</title><link>a</link></item><item><title>x</title><link>b</link></item></channel></rss>`,
	} {
		var got []string
		for _, l := range Extract(Input{Body: []byte(text), ContentType: name, Acts: acts}).Links {
			if l.Acts {
				got = append(got, l.Ref)
			}
		}
		want := "a"
		if name == "text/markdown" {
			want = "a d e"
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q act, want %q", name, got, want)
		}
	}
}

func TestActs(t *testing.T) {
	const page = `<!doctype html>
<a href=1>Log out</a> <a href=1>Home</a>
<a href=2 title="Log out"><img src=x alt=""></a>
<a href=3 aria-label="Log&nbsp;out">x</a>
<a href=4 data-method=DELETE>Item</a> <a href=5 data-method="get">Item</a>
<a href=6 data-turbo-method='post'>Item</a> <a href=7 data-confirm=delete>Item</a>
<a href=8><img src=y alt="Log out"></a>
<a href=9>How to log out</a>
<a href=10>Log out</a>
<a href=11><i title="Log&#32;out"></i></a> <a href=12><svg aria-label='Log out'></svg></a> <a href=13><input type=button value="Log out"></a>
<a href=14><i title="Log out"></i>Settings</a> <a href=15></a><i title="Log out"></i> <area href=16 alt="Log out"> <img src=17 alt="Log out">
<a href=18>Log out`
	acts := func(text []byte) bool { return strings.ReplaceAll(string(text), "\u00a0", " ") == "Log out" }
	doc := Extract(Input{Body: []byte(page), ContentType: "text/html; charset=utf-8", Acts: acts})
	var got []string
	for _, l := range doc.Links {
		if l.Acts {
			got = append(got, l.Ref)
		}
	}
	if want := "1 2 3 4 6 8 10 11 12 13 16 18"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if doc.Links[0].Repeats != 0 || doc.Links[1].Repeats != 0 {
		t.Error("a link repeats another, whose text differs")
	}
	for _, l := range Extract(Input{Body: []byte(page), ContentType: "text/html"}).Links {
		if l.Acts {
			t.Errorf("%s acts without being asked", l.Ref)
		}
	}
}
