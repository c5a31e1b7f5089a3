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

	"github.com/go-json-experiment/json/jsontext"
)

// Limits on a JSON text.
const (
	MaxDepth    = 64     // objects and arrays in each other
	MaxElements = 10_100 // of all arrays: room for a list of 10,000
)

// Check reports what is wrong with a JSON text: also duplicate members, which parsers
// read differently, trailing text, bytes that are not UTF-8, and texts above the limits. It reads
// the text once, and ends with the context.
func Check(ctx context.Context, text []byte) error {
	return check(ctx, text, func(_, elements int) error {
		if elements > MaxElements {
			return fmt.Errorf("its arrays have more than %d elements", MaxElements)
		}
		return nil
	})
}

// CheckUpTo is Check with a limit on members and elements together, instead of MaxElements.
func CheckUpTo(ctx context.Context, text []byte, most int) error {
	return check(ctx, text, func(members, elements int) error {
		if members+elements > most {
			return fmt.Errorf("its objects and arrays have more than %d members", most)
		}
		return nil
	})
}

// check checks a text. limit judges the number of members of all objects and of elements of all arrays that
// were read.
func check(ctx context.Context, text []byte, limit func(members, elements int) error) error {
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	// Escaped halves of surrogate pairs are allowed, as encoding/json allows them.
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowInvalidUTF8(true))
	members, elements := 0, 0
	for {
		token, err := d.ReadToken()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return plainError(err)
		}
		depth := d.StackDepth()
		if depth > MaxDepth {
			return fmt.Errorf("it is deeper than %d levels", MaxDepth)
		}
		container := depth
		if kind := token.Kind(); kind == '{' || kind == '[' {
			container-- // it has opened its own
		}
		if kind, n := d.StackIndex(container); token.Kind() == '}' || token.Kind() == ']' {
			// It was counted when it opened.
		} else if kind == '[' {
			elements++
		} else if kind == '{' && n%2 == 1 { // a name
			members++
		}
		if err := limit(members, elements); err != nil {
			return err
		}
		if depth == 0 {
			break
		}
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("text follows the value")
	}
	return nil
}

// plainError returns an error of the decoder without the path to its place, which may be long.
func plainError(err error) error {
	var wrong *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &wrong):
		return fmt.Errorf("the member %q occurs twice", clip(wrong.JSONPointer.LastToken()))
	case errors.As(err, &wrong):
		return fmt.Errorf("%w after byte %d", wrong.Err, wrong.ByteOffset)
	}
	return err
}

func clip(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
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
