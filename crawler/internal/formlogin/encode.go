package formlogin

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/session"
)

// entry is a name and a value that a form sends.
type entry struct {
	name, value string
	file        bool // the value of an empty file field
}

// entries returns what the form sends, in document order (HTML standard section
// 4.10.22.4), with the values that are filled in.
func (f *Form) entries(filled map[*control]string, set []session.Field) []entry {
	given := map[string]string{}
	for _, field := range set {
		given[field.Name] = field.Value.Reveal()
	}
	done := map[string]bool{}
	pressed := f.button()
	var list []entry
	for i := range f.controls {
		c := &f.controls[i]
		if value, ok := given[c.name]; ok {
			if !done[c.name] {
				list = append(list, entry{name: c.name, value: value})
				done[c.name] = true
			}
			continue
		}
		if value, ok := filled[c]; ok {
			list = append(list, entry{name: c.name, value: value})
			continue
		}
		list = append(list, f.successful(c, c == pressed)...)
	}
	for _, field := range set {
		if !done[field.Name] {
			list = append(list, entry{name: field.Name, value: given[field.Name]})
			done[field.Name] = true
		}
	}
	return list
}

// successful returns what a control sends.
func (f *Form) successful(c *control, pressed bool) []entry {
	switch {
	case c.disabled, c.isButton() && !pressed, c.kind == "button", c.kind == "reset",
		(c.kind == "checkbox" || c.kind == "radio") && !c.checked:
		return nil
	case c.kind == "image":
		prefix := ""
		if c.name != "" {
			prefix = c.name + "."
		}
		return []entry{{name: prefix + "x", value: "0"}, {name: prefix + "y", value: "0"}}
	case c.name == "":
		return nil
	case c.kind == "hidden" && strings.EqualFold(c.name, "_charset_"):
		_, name := f.encoding()
		return []entry{{name: c.name, value: name}}
	case c.kind == "file":
		return []entry{{name: c.name, file: true}}
	}
	list := make([]entry, len(c.values))
	for i, value := range c.values {
		list[i] = entry{name: c.name, value: value}
	}
	return list
}

// encoding returns the encoding of the form: the first of accept-charset that exists, or
// that of the page. UTF-16 cannot be sent (Encoding standard section 4.3).
func (f *Form) encoding() (encoding.Encoding, string) {
	for _, label := range append(strings.Fields(attribute(f.node, "accept-charset")), f.page.charset) {
		e, name := charset.Lookup(strings.Trim(label, ","))
		switch {
		case e == nil:
			continue
		case strings.HasPrefix(name, "utf-16") || name == "replacement":
			return encoding.Nop, "utf-8"
		}
		return e, name
	}
	return encoding.Nop, "utf-8"
}

// encode returns the body of the form. Characters outside of its encoding become
// character references, as in browsers.
func (f *Form) encode(list []entry) (fetch.Form, error) {
	e, name := f.encoding()
	bytesOf := func(s string) string { return s }
	if name != "utf-8" && e != encoding.Nop {
		encoder := encoding.HTMLEscapeUnsupported(e.NewEncoder())
		bytesOf = func(s string) string {
			if out, err := encoder.String(s); err == nil {
				return out
			}
			return s
		}
	}
	if strings.EqualFold(f.setting(f.button(), "enctype"), "multipart/form-data") {
		return encodeMultipart(list, bytesOf)
	}
	var b []byte
	for i, item := range list {
		if i > 0 {
			b = append(b, '&')
		}
		b = appendEncoded(b, bytesOf(lineBreaks(item.name)))
		b = append(b, '=')
		b = appendEncoded(b, bytesOf(lineBreaks(item.value)))
	}
	return fetch.Form{ContentType: "application/x-www-form-urlencoded", Body: b}, nil
}

// appendEncoded appends bytes in the form of application/x-www-form-urlencoded (URL
// standard section 5.2).
func appendEncoded(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '*', c == '-', c == '.', c == '_':
			b = append(b, c)
		case c == ' ':
			b = append(b, '+')
		default:
			b = fmt.Appendf(b, "%%%02X", c)
		}
	}
	return b
}

// lineBreaks makes each line break CR LF.
func lineBreaks(s string) string {
	return strings.ReplaceAll(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\n", "\r\n")
}

var quotedName = strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22")

func encodeMultipart(list []entry, bytesOf func(string) string) (fetch.Form, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, item := range list {
		disposition := `form-data; name="` + quotedName.Replace(bytesOf(lineBreaks(item.name))) + `"`
		header := textproto.MIMEHeader{}
		if item.file {
			disposition += `; filename=""`
			header.Set("Content-Type", "application/octet-stream")
		}
		header.Set("Content-Disposition", disposition)
		part, err := w.CreatePart(header)
		if err == nil {
			_, err = part.Write([]byte(bytesOf(lineBreaks(item.value))))
		}
		if err != nil {
			return fetch.Form{}, err
		}
	}
	if err := w.Close(); err != nil {
		return fetch.Form{}, err
	}
	return fetch.Form{ContentType: w.FormDataContentType(), Body: b.Bytes()}, nil
}
