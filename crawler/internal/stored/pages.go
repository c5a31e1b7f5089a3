package stored

import (
	"context"
	"errors"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// PagesRead calls fn with the pages that were read, with their links.
func PagesRead(ctx context.Context, store frontier.Store, print *scope.Printer, fn func(*result.Page)) error {
	var printed []string
	err := store.Scan(ctx, frontier.PartJob, func(rec *frontier.Record) error {
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		for len(printed) < int(rec.ID)-1 { // only an earlier crawl knew these
			printed = append(printed, "")
		}
		printed = append(printed, print.Job(&job))
		return nil
	})
	if err != nil {
		return err
	}
	var reader frontier.LinkReader
	return store.Scan(ctx, frontier.AllParts, func(rec *frontier.Record) error {
		if len(rec.Page) == 0 {
			return nil
		}
		page, err := decodePage(rec, printed, &reader)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		fn(page)
		return nil
	})
}

// decodePage restores a page from what the store keeps of it.
func decodePage(rec *frontier.Record, printed []string, reader *frontier.LinkReader) (*result.Page, error) {
	page, _, err := DecodePage(rec.Page)
	if err != nil {
		return nil, err
	}
	o, err := judging.DecodeOutcome(rec.Outcome)
	if err != nil {
		return nil, err
	}
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil {
		return nil, err
	}
	page.URL, page.Title, page.Depth, page.Modified = printed[rec.ID-1], o.Title, job.Depth, o.Modified
	page.Status, page.Elapsed, page.Size = o.Status, o.Elapsed, o.Size
	if err := reader.Reset(rec.Links); err != nil {
		return nil, err
	}
	var l frontier.RawLink
	for {
		more, err := reader.Next(&l)
		if err != nil || !more {
			return page, err
		}
		if l.Target >= len(rec.Found) {
			return nil, errors.New("a reference leads to none of the targets that were found")
		}
		edge := result.Edge{URL: printed[rec.Found[l.Target]-1], Text: string(l.Text)}
		if l.HasFragment {
			edge.URL += "#" + string(l.Fragment)
		}
		page.Links = append(page.Links, edge)
	}
}
