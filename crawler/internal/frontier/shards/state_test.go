package shards

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
)

// entered returns a target on one of so many servers, by its URL. Each letter is a target, and the lower case
// is on the first server.
func entered(url string, need frontier.Need) frontier.Item {
	server := 0
	if url != strings.ToLower(url) {
		server = 1
	}
	host := ""
	for n := 0; host == "" || redisstore.ServerOf(host, 2) != server; n++ {
		host = fmt.Sprintf("h%d.example", n)
	}
	return frontier.Item{Fingerprint: frontier.Fingerprint{Low: uint64(url[0])}, Host: []byte(host), Wave: frontier.Leaves, Need: need, Job: []byte(url)}
}

// settled returns what the log of a server says of a page that links to others.
func settled(url string, met frontier.Need, links ...frontier.Item) frontier.Event {
	e := frontier.Event{Kind: frontier.EventSettled, Name: entered(url, 0).Fingerprint, Met: met, Items: append([]frontier.Item{entered(url, met)}, links...),
		Done: frontier.Done{Outcome: []byte("outcome of " + url), Links: []byte("links"), Tally: []frontier.Tally{{Name: "pages", By: 1}}}}
	for i := range links {
		e.Names = append(e.Names, links[i].Fingerprint)
	}
	return e
}

// open opens a state of two files that have followed their servers.
func open(t *testing.T, file string, logs ...[]frontier.Event) *State {
	t.Helper()
	opened, err := Open(file, diskstore.Open)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { opened.Close() })
	s := Of(opened)
	for n, log := range logs {
		if err := (diskstore.Replica{Store: s.Files()[n]}).Apply(log, "position"); err != nil {
			t.Fatalf("apply a log: %v", err)
		}
	}
	s.Refresh()
	return s
}

func create(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "crawl.sqlite")
	if err := Create(file, 2, frontier.Narrow, nil, map[string][]byte{"command": []byte("check")}); err != nil {
		t.Fatalf("Create: %v", err)
	}
	return file
}

// The targets of all files are those of one store: each once, with all that is needed of it, and links lead
// to those of other files.
func TestJoin(t *testing.T) {
	const content, links = frontier.NeedContent, frontier.NeedContent | frontier.NeedLinks
	own := func(url string) frontier.Item { return entered(url, frontier.NeedLinked) }
	skipped := own("S")
	skipped.Outcome = []byte("skipped")
	file := create(t)
	s := open(t, file,
		[]frontier.Event{
			settled("a", links, own("b"), own("X"), entered("Y", content), own("Z"), skipped),
			settled("b", links, own("a"), own("X"), own("Z")),
		},
		[]frontier.Event{
			settled("X", frontier.NeedLinked, own("b"), own("c")), // the first server does not know c yet
			settled("Y", frontier.NeedLinked),                     // nor this one that the content is needed
			{Kind: frontier.EventEntered, Items: []frontier.Item{skipped}},
		})
	check := func(s *State) {
		t.Helper()
		ctx := context.Background()
		urls, found := map[frontier.ID]string{}, map[string][]frontier.ID{}
		var got []string
		if err := s.Scan(ctx, frontier.AllParts, func(r *frontier.Record) error {
			url := string(r.Job)
			if urls[r.ID] != "" {
				t.Errorf("%s and %s have the ID %d", urls[r.ID], url, r.ID)
			}
			urls[r.ID], found[url] = url, slices.Clone(r.Found)
			got = append(got, fmt.Sprintf("%s settled %t need %b", url, r.Settled, r.Need))
			return nil
		}); err != nil {
			t.Fatalf("read the targets: %v", err)
		}
		linked := int(frontier.NeedLinked)
		want := []string{fmt.Sprintf("X settled true need %b", linked), fmt.Sprintf("Y settled false need %b", linked|int(content)),
			fmt.Sprintf("Z settled false need %b", linked), fmt.Sprintf("S settled true need %b", linked),
			fmt.Sprintf("a settled true need %b", linked|int(links)), fmt.Sprintf("b settled true need %b", linked|int(links)), fmt.Sprintf("c settled false need %b", linked)}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("the state has %q, want %q", got, want)
		}
		for url, want := range map[string]string{"a": "bXYZS", "b": "aXZ", "X": "bc", "Y": "", "Z": "", "S": "", "c": ""} {
			leads := ""
			for _, id := range found[url] {
				leads += urls[id]
			}
			if leads != want {
				t.Errorf("%s leads to %q, want %q", url, leads, want)
			}
			ids, err := s.Find(ctx, []frontier.Fingerprint{entered(url, 0).Fingerprint})
			if err != nil || urls[ids[0]] != url {
				t.Errorf("Find %s = %v, %v", url, ids, err)
				continue
			}
			if r, err := s.Get(ctx, ids[0], frontier.AllParts); err != nil || string(r.Job) != url || !slices.Equal(r.Found, found[url]) || r.ID != ids[0] {
				t.Errorf("Get %s = %+v, %v", url, r, err)
			}
		}
		var kept []string
		if err := s.Each(ctx, func(k *frontier.Kept) error {
			kept = append(kept, fmt.Sprintf("%s settled %t need %b", k.Job, k.Settled, k.Need))
			if urls[k.ID] != string(k.Job) {
				t.Errorf("%s has the ID %d", k.Job, k.ID)
			}
			return nil
		}); err != nil {
			t.Fatalf("read the targets: %v", err)
		}
		if slices.Sort(kept); !slices.Equal(kept, want) {
			t.Errorf("Each = %q, want %q", kept, want)
		}
		if n, err := s.Count(ctx); err != nil || n != (frontier.Counts{Known: 7, Settled: 4, Queued: 3}) {
			t.Errorf("Count = %+v, %v", n, err)
		}
		if sums, err := s.Tallies(ctx); err != nil || sums["pages"] != 4 {
			t.Errorf("Tallies = %v, %v", sums, err)
		}
		if value, err := s.Value("command"); err != nil || string(value) != "check" {
			t.Errorf("Value = %q, %v", value, err)
		}
	}
	check(s)
	if err := s.Close(); err != nil {
		t.Fatalf("close the state: %v", err)
	}
	again, err := Open(file, diskstore.OpenReadOnly)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer again.Close()
	check(Of(again))
	if _, err := again.Add(t.Context(), nil); err == nil {
		t.Error("Add writes a file that follows a server")
	}
}
