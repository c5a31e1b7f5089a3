package crawler

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/local"
	"github.com/orbweaver/orbweaver/crawler/internal/reading"
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

// TestBodiesStayOnTheNetwork: no body is read from the network while others already
// wait with theirs for a slot.
func TestBodiesStayOnTheNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := &Config{}
		r := reading.New(reading.Engine{Door: newDoor(cfg, nil)}, document.Settings{MaxBody: 1 << 20})
		r.Slots = local.NewSlots(1)
		computing := local.Slot{Slots: r.Slots}
		computing.Take()
		for range 2 { // twice the processors
			go func() {
				waiting := local.Slot{Slots: r.Slots}
				waiting.Take()
				waiting.Release()
			}()
		}
		synctest.Wait() // they wait
		body := &noticed{Reader: bytes.NewReader([]byte("nothing to be read for links"))}
		o := judging.Outcome{Code: check.CodeOK}
		done := false
		go func() {
			target := &admit.Target{Target: &frontier.Target{}}
			o = r.ReadAnswer(t.Context(), &newWorkspace(r.Slots).Workspace, target, mustParse(t, "https://example.com/notes"), &fetch.Response{Status: 200, Size: -1, Body: body}, o).Outcome
			done = true
		}()
		synctest.Wait()
		if body.read {
			t.Error("the body was read although nobody had the time for it")
		}
		computing.Release()
		synctest.Wait()
		if !body.read || !done || o.Size != 28 {
			t.Errorf("read: %t, over: %t, %d bytes", body.read, done, o.Size)
		}
	})
}
