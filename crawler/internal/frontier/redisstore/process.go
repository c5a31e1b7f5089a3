package redisstore

import (
	"cmp"
	"context"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// process is what the store offers for this process.
type process struct{ *Store }

// Why implements frontier.Process.
func (s process) Why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// Offset implements frontier.Process.
func (s process) Offset() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offset
}

// setOffset notes how much the clock of the server is ahead, from an answer to a call.
func (s process) setOffset(server, sent time.Time) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset = server.Sub(sent.Add(now.Sub(sent) / 2))
}

// setWhy notes why nothing is given out.
func (s process) setWhy(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why = why
}

// ExtendAll implements frontier.Process.
func (s process) ExtendAll(ctx context.Context, leases []frontier.Lease, d time.Duration) (lost []frontier.ID, err error) {
	args := []any{micros(d), s.worker, s.session}
	for i := range leases {
		args = append(args, uint32(leases[i].ID), fence(&leases[i]))
	}
	answer, err := s.run(ctx, "extend", args...)
	if err != nil {
		return nil, err
	}
	list, _ := answer.([]any)
	if len(list) < 2 {
		return nil, errAnswer
	}
	switch asText(list[1]) {
	case "replaced":
		return nil, frontier.ErrReplaced
	case "absent":
		if gone, err := s.gone(ctx); err != nil || gone {
			return nil, cmp.Or(err, frontier.ErrGone)
		}
	}
	for _, id := range list[2:] {
		lost = append(lost, frontier.ID(asInt(id)))
	}
	return lost, nil
}

// Start implements frontier.Process.
func (s process) Start(ctx context.Context, l frontier.Lease, further bool) (time.Duration, error) {
	flag := 0
	if further {
		flag = 1
	}
	answer, err := s.runText(ctx, "start", uint32(l.ID), fence(&l), flag)
	if err == nil && answer == stale {
		err = errStale(&l)
	}
	if err != nil {
		return 0, err
	}
	return time.Duration(asInt(answer)) * time.Microsecond, nil
}

// Join implements frontier.Process.
func (s process) Join(ctx context.Context) error {
	browser := 0
	if s.Browser {
		browser = 1
	}
	state, err := s.runText(ctx, "join", s.worker, s.session, s.version, browser)
	if err == nil && (state == "absent" || state == "filling") {
		err = frontier.ErrAbsent
	}
	if err != nil {
		return err
	}
	h, err := (Lead{&Crawl{s.client}}).Header(ctx) // it may have been filled again
	if err == nil && h != nil {
		s.mu.Lock()
		s.header = h
		s.mu.Unlock()
	}
	return err
}

// gone reports whether the crawl was deleted.
func (s process) gone(ctx context.Context) (bool, error) {
	s.mu.Lock()
	h := s.header
	s.mu.Unlock()
	return h.Deleted(ctx, Lead{&Crawl{s.client}})
}

// Leave implements frontier.Process.
func (s process) Leave(ctx context.Context) error {
	_, err := s.run(ctx, "leave", s.worker, s.session)
	return err
}

// GiveBack implements frontier.Process.
func (s process) GiveBack(ctx context.Context, l frontier.Lease) error {
	_, err := s.run(ctx, "giveback", uint32(l.ID), fence(&l))
	return err
}

// BeginPage implements frontier.Process.
func (s process) BeginPage(ctx context.Context, l frontier.Lease, n int) (frontier.PageTurn, error) {
	answer, err := s.runText(ctx, "beginpage", uint32(l.ID), fence(&l), n)
	if err != nil {
		return 0, err
	}
	switch answer {
	case "OK":
		return frontier.PageBegins, nil
	case "WAIT":
		return frontier.PageWaits, nil
	case "LIMIT":
		return frontier.PageLimit, nil
	}
	return 0, errStale(&l)
}
