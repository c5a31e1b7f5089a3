package fetch

import (
	"net/http"
	"strings"
)

// MediaType returns the essence of a Content-Type: type/subtype in lower case, without
// parameters (MIME Sniffing 4.4). If there are several values separated by commas, the
// last valid one counts, as in Fetch 2.2.6. MediaType returns "" if there is none.
func MediaType(contentType string) string {
	essence := ""
	for contentType != "" {
		var value string
		value, contentType = nextHeaderValue(contentType)
		if e := mediaTypeEssence(value); e != "" && e != "*/*" {
			essence = e
		}
	}
	return essence
}

// declaredType returns the Content-Type of an answer as browsers determine it (Fetch
// 2.2.6, "extract a MIME type"): the last valid value of all fields and their lists. If
// that value has no charset, it gets the charset of an earlier value of the same type.
// declaredType returns "" if no value is valid; then the first bytes of the body
// decide.
func declaredType(header http.Header) string {
	declared, essence, charset := "", "", ""
	for _, field := range header["Content-Type"] {
		for field != "" {
			var value string
			value, field = nextHeaderValue(field)
			value = strings.Trim(value, " \t")
			e := mediaTypeEssence(value)
			if e == "" || e == "*/*" {
				continue
			}
			_, parameters, _ := strings.Cut(value, ";")
			has := strings.Contains(strings.ToLower(parameters), "charset=")
			switch {
			case has:
				charset = parameters
			case e == essence && charset != "":
				value = e + ";" + charset
			}
			if e != essence && !has {
				charset = ""
			}
			declared, essence = value, e
		}
	}
	return declared
}

// nextHeaderValue splits a header at the first comma outside quotes.
func nextHeaderValue(header string) (value, rest string) {
	quoted := false
	for i := 0; i < len(header); i++ {
		switch c := header[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ',' && !quoted:
			return header[:i], header[i+1:]
		}
	}
	return header, ""
}

func mediaTypeEssence(value string) string {
	value, _, _ = strings.Cut(value, ";")
	value = strings.Trim(value, " \t\r\n")
	kind, subtype, ok := strings.Cut(value, "/")
	if !ok || !isToken(kind) || !isToken(subtype) {
		return ""
	}
	return strings.ToLower(value)
}

// isToken reports whether s is a token (RFC 9110 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			continue
		}
		if strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
