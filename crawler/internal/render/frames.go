package render

import (
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
)

// frames are the frames of a page. A frame with an address of its own is a page of its own:
// what its scripts request, and their errors, do not belong to the page around it. A frame
// without one, such as that of a srcdoc attribute, is part of the page.
type frames struct {
	parents map[cdp.FrameID]cdp.FrameID
	apart   map[cdp.FrameID]bool // have an address of their own
	context map[runtime.ExecutionContextID]cdp.FrameID
}

func newFrames() frames {
	return frames{parents: map[cdp.FrameID]cdp.FrameID{}, apart: map[cdp.FrameID]bool{}, context: map[runtime.ExecutionContextID]cdp.FrameID{}}
}

// isApart reports whether a frame, or one around it, is a page of its own.
func (f *frames) isApart(id cdp.FrameID) bool {
	for range len(f.parents) + 1 {
		if id == "" || f.apart[id] {
			return id != ""
		}
		id = f.parents[id]
	}
	return false
}

// navigate notes that a frame has requested a document.
func (f *frames) navigate(id cdp.FrameID, url string) {
	if strings.HasPrefix(url, "http:") || strings.HasPrefix(url, "https:") {
		f.apart[id] = true
	}
}

// create notes the frame whose scripts run in a context.
func (f *frames) create(c *runtime.ExecutionContextDescription) {
	var data struct {
		FrameID cdp.FrameID `json:"frameId"`
	}
	if c != nil && jsonv2.Unmarshal(c.AuxData, &data) == nil {
		f.context[c.ID] = data.FrameID
	}
}
