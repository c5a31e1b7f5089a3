package mcp

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

const keptRuns = 20

type runs struct {
	count atomic.Int64

	mu   sync.Mutex
	kept []*run
}

func (r *runs) find(id string) (*run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.kept {
		if k.id == id {
			return k, nil
		}
	}
	text, _ := cut(id, 40)
	var of int64
	if n, err := fmt.Sscanf(id, "r%d", &of); n == 1 && err == nil && of >= 1 && of <= r.count.Load() {
		return nil, fmt.Errorf("run: %s is not kept any more, because only the last %d runs are: call check again", text, keptRuns)
	}
	return nil, fmt.Errorf("run: there is no run %q: use the name that check gave", text)
}

// add keeps a run and forgets the oldest.
func (r *runs) add(made *Run) (*run, error) {
	k, err := newRun(fmt.Sprintf("r%d", r.count.Add(1)), made)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, k)
	if len(r.kept) > keptRuns {
		r.kept = slices.Delete(r.kept, 0, 1)
	}
	return k, nil
}

// run is what is kept of a run: its findings for lists, and the results as in the report, compressed.
type run struct {
	id      string
	state   string
	exit    int
	whole   head
	items   []item // in the order of lists
	results *archive
	fixes   func(only func(*result.Reference) bool) (*fix.Plan, error) // nil if it read no file
}

// head is the last line of a report.
type head struct {
	Complete  bool            `json:"complete"`
	StoppedBy string          `json:"stopped_by"`
	Summary   json.RawMessage `json:"summary"`
}

// item is a finding: a verdict on a target, or a warning of it.
type item struct {
	id         string
	url        string
	verdict    string
	code       string
	message    string
	places     int
	page       string // the first place
	line       int
	column     int
	suggestion string
	result     int // its number in the report
}

// verdicts are in the order of lists. Without a filter, the first three are listed.
var verdicts = []string{check.Broken.String(), check.Unverified.String(), check.VerdictWarning.String(), check.OK.String(), check.Skipped.String()}

const listedVerdicts = 3

func newRun(id string, made *Run) (*run, error) {
	k := &run{id: id, state: "done", exit: made.Exit, results: &archive{}, fixes: made.Fixes}
	if made.Summary.Soundness.StoppedBy == result.ByInterrupt {
		k.state = "interrupted"
	}
	format, err := report.ByName("ndjson")
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	w := format.New(&text, report.Options{Show: report.ShowAll})
	if err := w.Begin(&report.Head{}); err != nil {
		return nil, err
	}
	for n, r := range made.Results {
		if err := w.Result(r); err != nil {
			return nil, err
		}
		k.index(r, n)
	}
	if err := w.End(made.Summary); err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSpace(text.Bytes()), []byte("\n"))
	last := len(lines) - 1
	if last != len(made.Results) {
		return nil, fmt.Errorf("the report has %d lines for %d results", last, len(made.Results))
	}
	if err := json.Unmarshal(lines[last], &k.whole); err != nil {
		return nil, fmt.Errorf("read the summary: %w", err)
	}
	slices.SortStableFunc(k.items, func(a, b item) int {
		return slices.Index(verdicts, a.verdict) - slices.Index(verdicts, b.verdict)
	})
	k.items = slices.Clip(k.items)
	return k, k.results.write(lines[:last])
}

func (k *run) index(r *result.Result, n int) {
	for of := range findings.Of("", r) {
		i := item{id: of.Fingerprint, url: of.URL, verdict: of.Verdict, code: of.Code, message: of.Message, places: of.Places, result: n}
		for at := range r.References {
			if ref := &r.References[at]; of.Verdict != check.VerdictWarning.String() || ref.Concerns(check.Code(of.Code)) {
				i.page, i.line, i.column = ref.Page, ref.Line, ref.Column
				break
			}
		}
		if of.Verdict == check.VerdictWarning.String() && string(r.Code) != of.Code {
			for _, w := range r.Warnings {
				if string(w.Code) == of.Code {
					i.suggestion = w.Proposal
				}
			}
		} else {
			i.suggestion = r.Proposal
			for _, s := range r.Suggestions {
				if i.suggestion == "" && !check.IsArchived(s) {
					i.suggestion = s.URL
				}
			}
		}
		k.items = append(k.items, i)
	}
}

type filter struct {
	verdicts, codes []string
	page, q         string
}

// list names the list that a filter makes, for cursors.
func (f *filter) list() string {
	if len(f.verdicts)+len(f.codes) == 0 && f.page+f.q == "" {
		return "all"
	}
	return findings.Fingerprint(strings.Join(f.verdicts, ","), strings.Join(f.codes, ","), f.page+"\n"+f.q)[:8]
}

func (k *run) choose(f *filter) ([]item, error) {
	wanted := f.verdicts
	if len(wanted) == 0 {
		wanted = verdicts[:listedVerdicts]
	}
	q := strings.ToLower(f.q)
	var chosen []item
	for _, i := range k.items {
		if !slices.Contains(wanted, i.verdict) || len(f.codes) > 0 && !slices.Contains(f.codes, i.code) {
			continue
		}
		if f.page != "" && f.page != i.page {
			on, err := k.isOn(&i, f.page)
			if err != nil {
				return nil, err
			}
			if !on {
				continue
			}
		}
		if q != "" && !strings.Contains(strings.ToLower(i.url+"\n"+i.message), q) {
			continue
		}
		chosen = append(chosen, i)
	}
	return chosen, nil
}

// isOn reports whether a page refers to the target of an item.
func (k *run) isOn(i *item, page string) (bool, error) {
	if i.places < 2 {
		return false, nil
	}
	text, err := k.results.read(i.result)
	if err != nil {
		return false, err
	}
	var r struct {
		References []struct {
			Page string `json:"page"`
		} `json:"references"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return false, fmt.Errorf("read the result of %s: %w", i.url, err)
	}
	for _, ref := range r.References {
		if ref.Page == page {
			return true, nil
		}
	}
	return false, nil
}

// archive holds lines in compressed blocks.
type archive struct {
	blocks [][]byte

	mu   sync.Mutex
	last int // the block that was read last, from 1
	text [][]byte
}

const blockLines = 128

func (a *archive) write(lines [][]byte) error {
	for block := range slices.Chunk(lines, blockLines) {
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, flate.BestSpeed)
		if err != nil {
			return err
		}
		if _, err := w.Write(bytes.Join(block, []byte("\n"))); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		a.blocks = append(a.blocks, bytes.Clone(packed.Bytes()))
	}
	return nil
}

// read returns a line. It must not be changed.
func (a *archive) read(n int) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if block := n/blockLines + 1; a.last != block {
		text, err := io.ReadAll(flate.NewReader(bytes.NewReader(a.blocks[block-1])))
		if err != nil {
			return nil, fmt.Errorf("read the results: %w", err)
		}
		a.last, a.text = block, bytes.Split(text, []byte("\n"))
	}
	return a.text[n%blockLines], nil
}
