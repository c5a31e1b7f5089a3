// Package strictjson reads JSON that people and programs send: it refuses what parsers read
// differently, and keeps the order of members and the spelling of numbers.
package strictjson

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Limits on a JSON text.
const (
	MaxDepth    = 64     // objects and arrays in each other
	MaxElements = 10_100 // of all arrays: room for a list of 10,000
)

// Check reports what is wrong with a JSON text: also duplicate members, which parsers
// read differently, trailing text, bytes that are not UTF-8, and texts above the limits. It reads
// the text once, and ends with the context.
func Check(ctx context.Context, text []byte) error { return CheckUpTo(ctx, text, MaxElements) }

// CheckUpTo is Check with another limit than MaxElements.
func CheckUpTo(ctx context.Context, text []byte, elements int) error {
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	c := &checker{ctx: ctx, most: elements, d: json.NewDecoder(bytes.NewReader(text))}
	c.d.UseNumber()
	if err := c.value(0); err != nil {
		return err
	}
	if _, err := c.d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text follows the value")
	}
	return nil
}

// checker reads a text.
type checker struct {
	ctx      context.Context
	d        *json.Decoder
	elements int
	most     int // elements
}

// value reads one value within depth others.
func (c *checker) value(depth int) error {
	token, err := c.d.Token()
	if err != nil {
		return unexpectedEnd(err)
	}
	open, isOpen := token.(json.Delim)
	if !isOpen {
		return nil
	}
	if depth == MaxDepth {
		return fmt.Errorf("it is deeper than %d levels", MaxDepth)
	}
	var seen map[string]bool
	if open == '{' {
		seen = map[string]bool{}
	}
	for c.d.More() {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if open == '[' {
			if c.elements++; c.elements > c.most {
				return fmt.Errorf("its arrays have more than %d elements", c.most)
			}
		} else {
			key, err := c.d.Token()
			if err != nil {
				return unexpectedEnd(err)
			}
			name, _ := key.(string)
			if seen[name] {
				return fmt.Errorf("the member %q occurs twice", clip(name))
			}
			seen[name] = true
		}
		if err := c.value(depth + 1); err != nil {
			return err
		}
	}
	_, err = c.d.Token()
	return unexpectedEnd(err)
}

// clip shortens a name for a message.
func clip(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Member is a member of a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members returns the members of an object in order.
func Members(text []byte) ([]Member, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.New("use an object")
	}
	var all []Member
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := Member{Name: key.(string)}
		if err := d.Decode(&m.Value); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// Decode reads a JSON value whose numbers stay as they were written.
func Decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}
