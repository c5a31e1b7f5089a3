// Package strictjson reads JSON that people and programs send: it refuses what parsers read
// differently, and keeps the order of members and the spelling of numbers.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Check reports what is wrong with a JSON text: also duplicate members, which parsers
// read differently, trailing text, and bytes that are not UTF-8.
func Check(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := noDuplicates(d); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text follows the value")
	}
	return nil
}

// noDuplicates reads one value.
func noDuplicates(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return unexpectedEnd(err)
	}
	open, isOpen := token.(json.Delim)
	if !isOpen {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return unexpectedEnd(err)
			}
			name, _ := key.(string)
			if seen[name] {
				return fmt.Errorf("the member %q occurs twice", name)
			}
			seen[name] = true
		}
		if err := noDuplicates(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return unexpectedEnd(err)
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
