package drift

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
)

// version is one version of a page of testdata, see README.md there.
type version struct {
	pack, name string // of the package and the page
	page       []byte
}

// readCorpus returns the pages of testdata, and their later versions.
func readCorpus(t testing.TB) (first []version, later map[string][]byte) {
	t.Helper()
	file, err := os.Open("testdata/pages.txtar.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	later = map[string][]byte{}
	for _, f := range txtar.Parse(data).Files {
		parts := strings.SplitN(f.Name, "/", 3)
		if v := (version{parts[0], parts[0] + "/" + parts[2], f.Data}); parts[1] == "1" {
			first = append(first, v)
		} else {
			later[v.name] = f.Data
		}
	}
	return first, later
}

var (
	shownText = regexp.MustCompile(`>[^<>]+<`)
	aWord     = regexp.MustCompile(`[A-Za-z]+`)
	aDigit    = regexp.MustCompile(`[0-9]`)
	aLink     = regexp.MustCompile(`(?is)<a\s[^>]*>.*?</a>|<title>.*?</title>|<[^>]*>`)
	bodyEnd   = regexp.MustCompile(`(?i)</body`)
)

// keepsMost reports whether a later version has nine of ten words of a page, without any use of
// sketches.
func keepsMost(page, later []byte) bool {
	left := map[string]int{}
	for _, w := range aWord.FindAllString(visible.OfPage(later), -1) {
		left[w]++
	}
	all, there := aWord.FindAllString(visible.OfPage(page), -1), 0
	for _, w := range all {
		if left[w]--; left[w] >= 0 {
			there++
		}
	}
	return 10*there >= 9*len(all)
}

// insert inserts text at the end of a page.
func insert(page []byte, text string) []byte {
	return bodyEnd.ReplaceAllLiteral(page, []byte(text+"</body"))
}

// edits are what happens to a page that stays what it is.
var edits = map[string]func(r *rand.Rand, page []byte, other string) []byte{
	"a tenth of the words": func(r *rand.Rand, page []byte, _ string) []byte {
		return shownText.ReplaceAllFunc(page, func(text []byte) []byte {
			return aWord.ReplaceAllFunc(text, func(word []byte) []byte {
				if r.IntN(10) == 0 {
					return fmt.Appendf(nil, "%sx", word)
				}
				return word
			})
		})
	},
	"numbers": func(r *rand.Rand, page []byte, _ string) []byte {
		return shownText.ReplaceAllFunc(page, func(text []byte) []byte {
			return aDigit.ReplaceAllFunc(text, func([]byte) []byte { return fmt.Append(nil, r.IntN(10)) })
		})
	},
	"comments": func(_ *rand.Rand, page []byte, other string) []byte {
		return insert(page, "<div><h3>Comments</h3><p>"+other+"</div>")
	},
	"banner": func(_ *rand.Rand, page []byte, other string) []byte {
		return regexp.MustCompile(`(?i)<body[^>]*>`).ReplaceAllLiteral(page, []byte("<body><div><p>We value your privacy. This site uses cookies. "+other[:min(len(other), 400)]+"</div>"))
	},
	"design": func(_ *rand.Rand, page []byte, _ string) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(page, []byte("<div"), []byte("<section")), []byte("</div"), []byte("</section"))
	},
}

// replacements are what happens to a page that no longer is what it was.
var replacements = map[string]func(page []byte) []byte{
	"parked": func([]byte) []byte {
		return []byte("<title>gone.example</title><h1>gone.example</h1><p>This domain is for sale. Related searches: <a href=/a>Cheap flights</a> <a href=/b>Insurance</a><p>The owner of this domain has parked it with a service. Contact us to make an offer and to learn more about the conditions of a sale.")
	},
	"sign-in": func([]byte) []byte {
		return []byte("<title>Sign in</title><form><h1>Sign in to continue</h1><p>Use your account of the company to see this page. If you have no account, ask your administrator for one.<label>Name</label><input name=a><label>Password</label><input type=password name=b><button>Sign in</button></form>")
	},
	"frame": func(page []byte) []byte { return frameOf(page) },
	"error page": func(page []byte) []byte {
		return insert(frameOf(page), "<h1>Page not found</h1><p>The page that you asked for is not here any more, or it has never been here. Use the search to find what you are looking for, or go back to the start page.")
	},
	"spam": func(page []byte) []byte {
		return insert(frameOf(page), "<p>"+strings.Repeat("Buy cheap pills online without a prescription. Best casino bonus, play now and win big. ", 30))
	},
}

// frameOf returns a page with nothing but its title and its links.
func frameOf(page []byte) []byte { return bytes.Join(aLink.FindAll(page, -1), []byte("\n")) }

// rate counts how many pages drift.
type rate struct{ drifted, all int }

func (r *rate) add(s *Sketch, later Sketch) (similarity float64, drifts bool) {
	similarity, drifts = s.Drifts(&later, Threshold)
	if r.all++; drifts {
		r.drifted++
	}
	return similarity, drifts
}

// TestErrorRates: pages that stay what they are do not drift, and replaced ones do.
func TestErrorRates(t *testing.T) {
	first, later := readCorpus(t)
	var same, replaced rate
	var sketches []Sketch
	var texts []string
	for _, v := range first {
		sketches, texts = append(sketches, OfPage(v.page)), append(texts, visible.OfPage(v.page))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i, v := range first {
		s := sketches[i]
		if s.IsEmpty() {
			continue
		}
		if next := later[v.name]; next != nil && keepsMost(v.page, next) {
			if similarity, drifts := same.add(&s, OfPage(next)); drifts {
				t.Logf("%s: the later version has the similarity %v", v.name, similarity)
			}
		}
		for name, edit := range edits {
			if similarity, drifts := same.add(&s, OfPage(edit(random, v.page, texts[(i+1)%len(first)]))); drifts {
				t.Logf("%s, %s: similarity %v", v.name, name, similarity)
			}
		}
		for j, other := range first {
			if other.pack != v.pack || other.name == v.name {
				continue
			}
			if similarity, drifts := replaced.add(&s, sketches[j]); !drifts {
				t.Logf("%s, replaced by %s: similarity %v", v.name, other.name, similarity)
			}
		}
		for name, replace := range replacements {
			if similarity, drifts := replaced.add(&s, OfPage(replace(v.page))); !drifts {
				t.Logf("%s, replaced by %s: similarity %v", v.name, name, similarity)
			}
		}
	}
	t.Logf("%d of %d edited pages drift, %d of %d replaced ones do not", same.drifted, same.all, replaced.all-replaced.drifted, replaced.all)
	if same.all < 600 || 100*same.drifted > same.all {
		t.Errorf("%d of %d pages drift that stayed what they were; want at most one percent of at least 600", same.drifted, same.all)
	}
	if missed := replaced.all - replaced.drifted; replaced.all < 6000 || 100*missed > 2*replaced.all {
		t.Errorf("%d of %d pages that were replaced do not drift; want at most two percent of at least 6000", missed, replaced.all)
	}
}

func BenchmarkOfPage(b *testing.B) {
	first, _ := readCorpus(b)
	page := first[0].page
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		OfPage(page)
	}
}
