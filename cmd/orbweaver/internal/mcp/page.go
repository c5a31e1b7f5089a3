package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Bytes of an answer.
const (
	usualAnswer = 2048
	leastAnswer = 1024
	mostAnswer  = 65536
)

// maxText is the number of characters of a text in an item.
const maxText = 200

// encode returns JSON without escapes that nobody needs.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// fitItems adds as many items to an answer as fit, from the first one on, and at most a number of
// them. Each item is there in several lengths: the first that fits is taken if it is the first item
// of the answer, because each answer has to bring the client on. It returns how many were added.
func fitItems(answer map[string]any, most, limit, n int, item func(i, length int) any) (added int, err error) {
	items := []json.RawMessage{}
	answer["items"] = items
	base, err := encode(answer)
	if err != nil {
		return 0, err
	}
	size := len(base) + len(`,"next":"`) + maxCursor
	for added < min(n, limit) {
		text, err := shortest(size, most, added > 0, func(length int) any { return item(added, length) })
		if err != nil {
			return 0, err
		}
		if text == nil {
			break
		}
		items = append(items, text)
		size += len(text) + 1
		added++
	}
	answer["items"] = items
	return added, nil
}

// lengths are the numbers of characters to which the texts of an item are cut, one after the
// other, until it fits.
var lengths = []int{maxText, 120, 60, 30, 15}

// shortest returns the JSON of an item that fits beside size bytes; nil if none does, and a whole
// page would be shorter.
func shortest(size, most int, hasOthers bool, item func(length int) any) (json.RawMessage, error) {
	for _, length := range lengths {
		text, err := encode(item(length))
		if err != nil || size+len(text) <= most {
			return text, err
		}
		if hasOthers {
			return nil, nil
		}
	}
	return nil, errors.New("an item is larger than max_bytes: give a larger max_bytes, up to 65536")
}

// maxCursor is the length of a cursor, in bytes.
const maxCursor = 40

// cursor is a place in a list of a run.
type cursor struct {
	run  string
	list string // which list it is
	at   int
}

// String returns the cursor as the client gets it.
func (c cursor) String() string { return c.run + "." + c.list + "." + strconv.Itoa(c.at) }

// parseCursor reads a cursor of a list; "" is its beginning.
func parseCursor(text, run, list string, n int) (at int, err error) {
	if text == "" {
		return 0, nil
	}
	parts := strings.Split(text, ".")
	if len(parts) == 3 {
		at, err = strconv.Atoi(parts[2])
	}
	switch {
	case len(parts) != 3 || err != nil || at < 0:
		return 0, errors.New("after is no cursor: give what next was in the answer before")
	case parts[0] != run:
		return 0, fmt.Errorf("after is a cursor of another run (%s): give what next was in an answer about %s", clean(parts[0]), run)
	case parts[1] != list:
		return 0, errors.New("after is a cursor of another list: give the other arguments of the call that gave it, too")
	case at > n:
		return 0, errors.New("after is a cursor behind the end of the list: leave it out to begin again")
	}
	return at, nil
}

// next returns the cursor behind the items of a page, or nil at the end.
func next(run, list string, at, n int) any {
	if at >= n {
		return nil
	}
	return cursor{run, list, at}.String()
}
