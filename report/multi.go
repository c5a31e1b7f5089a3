package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// Multi writes the reports of one run. It filters, cleans, holds and sorts results once
// for all of them. If a report fails, its error is returned at once, its file stays as it
// was, and the other reports continue; the caller should still call End. Multi is a
// [PageWriter]. A result.Sink needs the methods Note and Progress besides.
type Multi struct {
	sieve   filter
	outputs []*output
	streams []*output // the outputs that get results as they arrive
	sorter  sorter    // for the other outputs
	graph   bool      // an output draws the graph of the site
	refs    bool      // an output lists all references
}

type output struct {
	Writer
	file *file // nil if the report does not go to a file
	err  error // the first error
	done bool
}

// Open makes a writer for all outputs. Only an output whose file is [Stdout] has colors;
// it goes to stdout. Two outputs must not go to the same file. The caller must call
// Close.
func Open(outputs []Output, stdout io.Writer, o Options) (*Multi, error) {
	m := &Multi{}
	m.sorter.results.Order = inOrder{}
	m.sieve = filter{next: (*fanOut)(m), show: o.Shows()}
	if slices.ContainsFunc(outputs, func(out Output) bool { return out.Format == &htmlFormat }) {
		m.sieve.hops = map[string]passedOn{}
	}
	o.Sorted = o.Sorted && !slices.ContainsFunc(outputs, func(out Output) bool { return out.Format.Streams })
	taken := map[string]bool{}
	for _, out := range outputs {
		place := out.File
		if place != Stdout {
			place = filepath.Clean(place)
		}
		var err error
		switch {
		case out.To == nil && taken[place] && place == Stdout:
			err = errors.New("write standard output: two reports go there")
		case out.To == nil && taken[place]:
			err = fmt.Errorf("write %s: two reports go to this file", out.File)
		default:
			taken[place] = taken[place] || out.To == nil
			err = m.add(out, stdout, o)
		}
		if err != nil {
			m.Close()
			return nil, err
		}
	}
	return m, nil
}

func (m *Multi) add(out Output, stdout io.Writer, o Options) error {
	added := &output{}
	plain := o
	plain.Color, plain.Width = false, 0
	if o.PrintedShow != 0 && (out.To != nil || out.File == Stdout) {
		o.Show, plain.Show = o.PrintedShow, o.PrintedShow
	}
	switch {
	case out.To != nil:
		added.Writer = out.Format.New(out.To, plain)
	case out.File == Stdout:
		added.Writer = out.Format.New(&stdoutWriter{stdout}, o)
	case out.Append:
		f, size, err := appendFile(out.File, o.workingDir)
		if err != nil {
			return err
		}
		if size > 0 {
			f.Write([]byte("\n")) // the report's first write returns the same error
			size++
		}
		plain.MarkdownSize = int(max(summaryMarkdownSize-size, 1))
		added.file, added.Writer = f, out.Format.New(f, plain)
	default:
		f, err := createFile(out.File, o.workingDir)
		if err != nil {
			return err
		}
		added.file, added.Writer = f, out.Format.New(f, plain)
	}
	added.Writer = out.Format.withoutKnown(added.Writer, o.Show)
	if show := o.Show.orDefault(); show != m.sieve.show {
		own := &filter{next: added.Writer, show: show}
		if out.Format == &htmlFormat {
			own.hops = m.sieve.hops
		}
		added.Writer = own
	}
	m.outputs = append(m.outputs, added)
	m.graph = m.graph || out.Format.Pages
	m.refs = m.refs || out.Format.References
	switch {
	case out.Format.Streams:
		m.streams = append(m.streams, added)
	case out.Format.collects && o.Sorted:
		m.sorter.collectors = append(m.sorter.collectors, added)
	default:
		m.sorter.writers = append(m.sorter.writers, added)
		m.sorter.graph = m.sorter.graph || out.Format.Pages
	}
	return nil
}

// WantsStream reports whether an output writes results as they arrive.
func (m *Multi) WantsStream() bool { return len(m.streams) > 0 }

// WantsPages reports whether an output draws the graph of the site and needs calls of
// Page.
func (m *Multi) WantsPages() bool { return m.graph }

// WantsReferences reports whether an output lists all references to each result; see
// [Format.References].
func (m *Multi) WantsReferences() bool { return m.refs }

// Begin begins every report.
func (m *Multi) Begin(h *Head) error { return m.sieve.Begin(h) }

// Result passes a result to every report.
func (m *Multi) Result(r *result.Result) error { return m.sieve.Result(r) }

// Page passes a page to the reports that draw a graph.
func (m *Multi) Page(p *result.Page) error { return m.sieve.Page(p) }

// End writes the rest of all reports and puts the files in place. The error joins those
// that Begin, Result and Page did not return.
func (m *Multi) End(s *result.Summary) error {
	errs := []error{m.sieve.End(s)}
	for _, out := range m.outputs {
		if out.err == nil && out.file != nil && !out.done {
			out.err = out.file.commit()
			out.done = true
			errs = append(errs, out.err)
		}
	}
	m.Close()
	return errors.Join(errs...)
}

// Close removes the temporary files of reports that End did not complete.
func (m *Multi) Close() {
	for _, out := range m.outputs {
		if out.file != nil && !out.done {
			out.file.discard()
			out.done = true
		}
	}
	m.sorter.close()
}

// fanOut follows a Multi's filter. It passes results to the outputs that stream, and to
// the sorter for all others.
type fanOut Multi

func (f *fanOut) each(do func(PageWriter) error) error {
	var errs []error
	for _, out := range f.streams {
		errs = append(errs, do(out))
	}
	if len(f.sorter.writers)+len(f.sorter.collectors) > 0 {
		errs = append(errs, do(&f.sorter))
	}
	return errors.Join(errs...)
}

func (f *fanOut) Begin(h *Head) error { return f.each(func(w PageWriter) error { return w.Begin(h) }) }

func (f *fanOut) Result(r *result.Result) error {
	return f.each(func(w PageWriter) error { return w.Result(r) })
}

func (f *fanOut) Page(p *result.Page) error {
	return f.each(func(w PageWriter) error { return w.Page(p) })
}

func (f *fanOut) End(s *result.Summary) error {
	return f.each(func(w PageWriter) error { return w.End(s) })
}

func (o *output) try(do func() error) error {
	if o.err != nil {
		return nil // the error was returned already
	}
	o.err = do()
	return o.err
}

func (o *output) Begin(h *Head) error { return o.try(func() error { return o.Writer.Begin(h) }) }

func (o *output) Result(r *result.Result) error {
	return o.try(func() error { return o.Writer.Result(r) })
}

func (o *output) Page(p *result.Page) error {
	w, ok := o.Writer.(PageWriter)
	if !ok {
		return nil
	}
	return o.try(func() error { return w.Page(p) })
}

func (o *output) End(s *result.Summary) error { return o.try(func() error { return o.Writer.End(s) }) }

// stdoutWriter adds the name of standard output to errors.
type stdoutWriter struct{ io.Writer }

func (s *stdoutWriter) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	return n, pathError("write", "standard output", err)
}
