package serve

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
)

// Times of a stream of events.
const (
	heartbeat    = 15 * time.Second // between two lines
	writeTimeout = 30 * time.Second // for a reader that does not read
)

// events sends what happens in a run as server-sent events.
func events(c *call) error {
	after, err := c.lastEvent()
	if err != nil {
		return err
	}
	s := c.server
	reader, err := s.service.Manager.Follow(c.Context(), c.run.ID, after)
	if err != nil {
		return err
	}
	if reader == nil { // browsers do not connect again
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	defer reader.Close()
	return c.stream(reader)
}

// allEvents sends what happens in the runs of all projects as server-sent events.
func allEvents(c *call) error {
	after, err := c.lastEvent()
	if err != nil {
		return err
	}
	reader, err := c.server.service.Manager.All.Follow(c.Context(), after, c.server.service.Projects.Sees(c.Context(), c.who))
	if err != nil {
		return err
	}
	return c.stream(reader)
}

type eventReader interface {
	Next() ([]runs.Event, <-chan struct{}, error)
	Ended() bool
}

// stream sends events until there are no more, or the client is gone.
func (c *call) stream(reader eventReader) error {
	s, h := c.server, c.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	c.w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(c.w)
	if out.Flush() != nil || c.Method == http.MethodHead {
		return nil
	}
	defer s.metrics.stream()()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		events, changed, err := reader.Next()
		if err != nil {
			return err
		}
		var text bytes.Buffer
		for _, e := range events {
			fmt.Fprintf(&text, "id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Type, e.Data)
		}
		if text.Len() == 0 {
			if changed == nil || reader.Ended() {
				return nil
			}
			select {
			case <-changed:
				continue
			case <-beat.C:
				text.WriteString(":\n\n")
			case <-c.Context().Done():
				return nil
			case <-s.stopping:
				return nil
			}
		}
		_ = out.SetWriteDeadline(time.Now().Add(writeTimeout)) // else a reader that is gone stays
		if _, err := c.w.Write(text.Bytes()); err != nil {
			return nil // the reader is gone
		}
		if err := out.Flush(); err != nil {
			return nil
		}
	}
}

// lastEvent returns the ID of the last event that the reader has.
func (c *call) lastEvent() (int64, error) {
	name, text := "after", c.URL.Query().Get("after")
	if last := c.Header.Get("Last-Event-ID"); last != "" {
		name, text = "Last-Event-ID", last
	}
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0, api.Invalid(api.Fault{Field: name, Message: strconv.Quote(text) + " is not the id of an event"})
	}
	return id, nil
}
