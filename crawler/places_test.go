package crawler

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// noticed is a body that notices when it is read.
type noticed struct {
	io.Reader
	read bool
}

func (n *noticed) Read(p []byte) (int, error) {
	n.read = true
	return n.Reader.Read(p)
}

func (*noticed) Close() error { return nil }

// TestBodiesStayOnTheNetwork: no body is taken off the network while others already
// wait with theirs for a place.
func TestBodiesStayOnTheNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &run{cfg: &Config{MaxBody: 1 << 20}, places: newPlaces(1)}
		r.places.take()
		for range r.places.most {
			go func() {
				r.places.take()
				r.places.give()
			}()
		}
		synctest.Wait() // they wait
		body := &noticed{Reader: bytes.NewReader([]byte("nothing to be read for links"))}
		o := &check.Outcome{Code: check.CodeOK}
		done := false
		go func() {
			(&worker{run: r}).read(&frontier.Target{}, mustParse(t, "https://example.com/notes"), &fetch.Response{Status: 200, Size: -1, Body: body}, o)
			done = true
		}()
		synctest.Wait()
		if body.read {
			t.Error("the body was read although nobody had the time for it")
		}
		r.places.give()
		synctest.Wait()
		if !body.read || !done || o.Size != 28 {
			t.Errorf("read: %t, over: %t, %d bytes", body.read, done, o.Size)
		}
	})
}
