package result

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// fill sets every field of a value to something that is not zero.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 1000)
	case reflect.Uint8:
		v.SetUint(uint64(*n % 4))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(int64(*n), 5).UTC()))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic(v.Kind())
	}
}

func samples() []*Result {
	full, n := &Result{}, 0
	fill(reflect.ValueOf(full).Elem(), &n)
	alike := &Result{URL: "https://example.com/", Size: -1}
	for line := range 3 {
		alike.References = append(alike.References, Reference{Page: "p", Line: line, Element: "a", Attribute: "href", Raw: "/", Text: "home"})
	}
	return []*Result{full, alike, {}}
}

// normal replaces the empty lists that a decoded result has by nil.
func normal(r *Result) *Result {
	if len(r.Redirects) == 0 {
		r.Redirects = nil
	}
	if len(r.Suggestions) == 0 {
		r.Suggestions = nil
	}
	return r
}

func TestEncoding(t *testing.T) {
	for i, want := range samples() {
		record := appendResult(nil, want)
		got, err := decodeResult(record)
		if err != nil || !reflect.DeepEqual(normal(got), want) {
			t.Errorf("%d: got %+v, %v, want %+v", i, got, err, want)
		}
		for n := range record {
			if _, err := decodeResult(record[:n]); err == nil {
				t.Errorf("%d: the first %d bytes of %d were decoded", i, n, len(record))
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, r := range samples() {
		f.Add(appendResult(nil, r))
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		r, err := decodeResult(record)
		if err != nil {
			return
		}
		encoded := appendResult(nil, r)
		again, err := decodeResult(encoded)
		if err != nil || !bytes.Equal(appendResult(nil, again), encoded) { // a number may be NaN, which equals nothing
			t.Errorf("%+v became %+v, %v", r, again, err)
		}
	})
}

type byURL struct{ Kept }

func (byURL) Compare(a, b *Result) int { return cmp.Compare(a.URL, b.URL) }

func TestSorted(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, limit := range []int{1, 5_000, 0} {
		s := &Sorted[*Result]{Order: byURL{}}
		s.threshold = limit
		var want []*Result
		for i := range 500 {
			r := &Result{URL: fmt.Sprint(random.IntN(100)), Status: i}
			want = append(want, r)
			s.Add(r)
		}
		slices.SortStableFunc(want, byURL{}.Compare)
		for range 2 {
			var got []*Result
			if err := s.Each(func(r *Result) error { got = append(got, normal(r)); return nil }); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("limit %d: got another order or other results", limit)
			}
		}
		if spilled := limit > 0; spilled != (len(s.runs) > 0) {
			t.Errorf("limit %d: %d runs are in the file", limit, len(s.runs))
		}
		enough := errors.New("enough")
		if err := s.Each(func(*Result) error { return enough }); err != enough {
			t.Errorf("limit %d: got %v, want the error of the function", limit, err)
		}
		s.Close()
	}
}

// TestSortedWithoutFile keeps everything in memory if no temporary file can be made.
func TestSortedWithoutFile(t *testing.T) {
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, t.TempDir()+"/missing")
	}
	s := &Sorted[*Result]{Order: byURL{}}
	s.threshold = 1
	defer s.Close()
	for _, url := range []string{"b", "a", "c"} {
		s.Add(&Result{URL: url})
	}
	var got strings.Builder
	if err := s.Each(func(r *Result) error { got.WriteString(r.URL); return nil }); err != nil || got.String() != "abc" {
		t.Errorf("got %q, %v, want abc", got.String(), err)
	}
}

// TestSortedLeavesNoFile: the temporary file is gone after Close.
func TestSortedLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	s := &Sorted[*Result]{Order: byURL{}}
	s.threshold = 1
	s.Add(&Result{URL: "a"})
	if len(s.runs) != 1 {
		t.Fatalf("%d runs are in the file, want 1", len(s.runs))
	}
	s.Close()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("got %v, %v, want an empty directory", entries, err)
	}
}
