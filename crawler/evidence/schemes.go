package evidence

import (
	"net/http"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Other keeps what became of a request over another scheme than http and https. It is a method of
// fetch.Recorder.
func (k *Keeper) Other(got *fetch.Other) {
	e := &event{Format: format, Kind: "answer", Method: http.MethodHead,
		facts: facts{For: k.mask.url(got.Asker.URL.Printed()), Beside: !got.Asker.Visit, First: got.Asker.First, Page: got.Page, Fault: k.mask.fault(got.Fault)}}
	if got.Need == fetch.Content {
		e.Method = http.MethodGet
	}
	if r := got.Response; r == nil {
		e.setFault(k.mask, got.Fault)
	} else {
		e.facts.setRequests(r.Requests)
		e.Answer = &answer{Status: r.Status, Location: k.mask.text(r.Location), Type: r.ContentType, Size: r.Size, Modified: r.Modified,
			Excerpt: k.mask.bytes(r.Excerpt), Body: k.mask.bytes(got.Body), HasBody: got.Body != nil}
		for _, note := range r.Notes {
			e.Answer.Notes = append(e.Answer.Notes, [2]string{note.Code, k.mask.text(note.Message)})
		}
	}
	k.appendEvent(k.mask.url(got.URL.Printed()), got.At, e)
}

// setFault makes an event that of a request without an answer.
func (e *event) setFault(m *mask, f *fetch.Fault) {
	e.Kind, e.Fault, e.Message, e.facts.Fault = "fault", f.Kind, m.text(f.Error()), m.fault(f)
	e.facts.setRequests(f.Requests)
}

func (f *facts) setRequests(n int) {
	if f.Requests = nil; n != 1 {
		f.Requests = &n
	}
}

// Other returns the answer to a request over another scheme. It is a method of fetch.Replay.
func (r *replay) Other() *fetch.Other {
	if len(r.list) == 0 || r.list[0].file < 0 {
		return nil
	}
	m, err := r.list[0].open(r.a.files[r.list[0].file])
	if err != nil {
		return nil
	}
	e, err := readEvent(m)
	if err != nil || e.Answer == nil && e.facts.Fault == nil {
		return nil
	}
	got := &fetch.Other{Need: fetch.Existence}
	if e.Method == http.MethodGet {
		got.Need = fetch.Content
	}
	if e.facts.Fault != nil {
		got.Fault = e.facts.Fault.fault(0)
	}
	if a := e.Answer; a != nil {
		got.Response = &fetch.Response{Status: a.Status, Location: a.Location, ContentType: a.Type, Size: a.Size, Modified: a.Modified, Excerpt: a.Excerpt}
		for _, note := range a.Notes {
			got.Response.Notes = append(got.Response.Notes, fetch.Note{Code: note[0], Message: note[1]})
		}
		if a.HasBody {
			got.Body = append([]byte{}, a.Body...) // not nil
		}
	}
	return got
}
