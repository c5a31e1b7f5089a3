package redisstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

// Status is what `orbweaver frontier status` shows.
type Status struct {
	Crawl        string         `json:"crawl"`
	State        string         `json:"state"` // running, paused, draining, drained or done
	Known        int            `json:"known"`
	Queued       int            `json:"queued"` // with those that wait for a retry or the second pass
	Leased       int            `json:"leased"`
	Settled      int            `json:"settled"`
	Hosts        int            `json:"hosts"`         // with something unsettled
	WaitingHosts int            `json:"waiting_hosts"` // of these, those that may not be asked now
	OldestLeaseS float64        `json:"oldest_lease_s"`
	LogBytes     int64          `json:"log_bytes"`
	Workers      []WorkerStatus `json:"workers"`     // by name
	Coordinator  string         `json:"coordinator"` // alive or gone

	logLimit int64
	fresh    map[string]bool // workers that were heard from within one lease
}

// WorkerStatus is one process in a Status.
type WorkerStatus struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Leased  int    `json:"leased"`
	Pages   int    `json:"pages"`
	Seen    string `json:"seen"` // RFC 3339, by the clock of the server
}

// alive returns the processes that were heard from within one lease.
func (s *Status) alive() []string {
	var names []string
	if s.Coordinator == "alive" {
		names = append(names, "the coordinator")
	}
	for _, w := range s.Workers {
		if s.fresh[w.Name] && w.Name != CoordinatorName {
			names = append(names, "the worker "+w.Name)
		}
	}
	return names
}

// CoordinatorName is the name of a coordinator that works, too.
const CoordinatorName = "coordinator"

// Status returns the status of the crawl, nil if there is none.
func (f *Crawl) Status(ctx context.Context) (*Status, error) {
	h, err := f.Lead().Header(ctx)
	if err != nil || h == nil {
		return nil, err
	}
	s := &Status{Crawl: f.Address().Crawl, Coordinator: "gone", fresh: map[string]bool{}}
	workers := map[string]*WorkerStatus{}
	for _, shard := range f.Shards() {
		if exists, err := shard.addStatus(ctx, h, s, workers); err != nil || !exists && shard.Number() == 0 {
			return nil, err
		}
	}
	s.Workers = make([]WorkerStatus, 0, len(workers))
	for _, name := range slices.Sorted(maps.Keys(workers)) {
		s.Workers = append(s.Workers, *workers[name])
	}
	return s, nil
}

// addStatus adds what one server has to a status. It returns false if it has no crawl.
func (f Shard) addStatus(ctx context.Context, h *Header, s *Status, workers map[string]*WorkerStatus) (exists bool, err error) {
	c, err := f.to.counters(ctx)
	if err != nil || len(c) == 0 {
		return false, err
	}
	now, err := f.Now(ctx)
	if err != nil {
		return false, err
	}
	n := countsOf(c)
	s.Known, s.Queued, s.Leased, s.Settled = s.Known+n.Known, s.Queued+n.Queued, s.Leased+n.Leased, s.Settled+n.Settled
	s.LogBytes, s.logLimit = s.LogBytes+asInt(c["logs"])-asInt(c["trimmed"]), s.logLimit+asInt(c["lim"])
	if f.at.number == 0 {
		if s.State = c["state"]; s.State == "" || s.State == "filling" {
			s.State = "running"
		}
	}
	leased := map[string]int{}
	if c["state"] != "done" {
		if err := f.countHosts(ctx, s, leased); err != nil {
			return false, err
		}
	}
	var own map[string]string
	var names []string
	err = f.to.try(ctx, func(ctx context.Context) (err error) {
		if own, err = redis.StringMap(f.to.do(ctx, "HGETALL", f.to.key("own"))); err == nil {
			names, err = redis.Strings(f.to.do(ctx, "SMEMBERS", f.to.key("ws")))
		}
		return err
	})
	if err != nil {
		return false, err
	}
	if at := asInt(own["seen"]); at > 0 && now.Sub(time.UnixMicro(at)) <= h.Lease {
		s.Coordinator = "alive"
	}
	for _, name := range names {
		var w map[string]string
		err := f.to.try(ctx, func(ctx context.Context) (err error) {
			w, err = redis.StringMap(f.to.do(ctx, "HGETALL", f.to.key("w@"+name)))
			return err
		})
		if err != nil {
			return false, err
		}
		at := time.UnixMicro(asInt(w["seen"])).UTC()
		if now.Sub(at) > 3*h.Lease {
			continue
		}
		s.fresh[name] = s.fresh[name] || now.Sub(at) <= h.Lease
		one := workers[name]
		if one == nil {
			one = &WorkerStatus{Name: name, Version: w["version"]}
			workers[name] = one
		}
		one.Leased += leased[name]
		one.Pages += int(asInt(w["pages"]))
		one.Seen = max(one.Seen, at.Format(time.RFC3339))
	}
	return true, nil
}

// countHosts counts hosts, and the leases of each worker.
func (f Shard) countHosts(ctx context.Context, s *Status, leased map[string]int) error {
	for next := int64(0); next >= 0; {
		first := next == 0
		answer, err := f.to.run(ctx, "hosts", next)
		if err != nil {
			return err
		}
		list, _ := answer.([]any)
		if len(list) < 4 {
			return errAnswer
		}
		next = asInt(list[0])
		s.Hosts += int(asInt(list[1]))
		s.WaitingHosts += int(asInt(list[2]))
		if age := asInt(list[3]); first && age >= 0 {
			s.OldestLeaseS = max(s.OldestLeaseS, float64(age/1000)/1000)
		}
		for _, worker := range list[4:] {
			leased[asText(worker)]++
		}
	}
	return nil
}

// marshal returns JSON with a line break at the end.
func (s *Status) marshal() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	err := e.Encode(s)
	return b.Bytes(), err
}

// JSON returns the status as JSON.
func (s *Status) JSON() ([]byte, error) { return s.marshal() }

// Text returns the status for people.
func (s *Status) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "crawl %s: %s, coordinator %s\n", s.Crawl, s.State, s.Coordinator)
	fmt.Fprintf(&b, "targets: %d known, %d queued, %d leased, %d settled\n", s.Known, s.Queued, s.Leased, s.Settled)
	fmt.Fprintf(&b, "hosts: %d with something to do, %d of them waiting\n", s.Hosts, s.WaitingHosts)
	full := ""
	if s.logLimit > 0 && s.LogBytes > s.logLimit {
		full = "; it is full: nothing is given out until the coordinator has applied it"
	}
	fmt.Fprintf(&b, "log: %d bytes of %d%s\n", s.LogBytes, s.logLimit, full)
	fmt.Fprintf(&b, "oldest lease: %s s\n", strconv.FormatFloat(s.OldestLeaseS, 'f', 1, 64))
	if len(s.Workers) == 0 {
		b.WriteString("no workers\n")
	}
	for _, w := range s.Workers {
		fmt.Fprintf(&b, "worker %s: %d leased, %d pages, seen %s, version %s\n", w.Name, w.Leased, w.Pages, w.Seen, w.Version)
	}
	return b.String()
}
