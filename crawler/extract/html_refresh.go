package extract

import "bytes"

// refreshURL finds the URL in the content of <meta http-equiv=refresh>, by the
// shared declarative refresh steps of the HTML standard (4.2.5.3). It returns false when the
// content is no refresh, or refreshes the document itself.
func refreshURL(in []byte) (url span, ok bool) {
	i := skipSpace(in, 0)
	digits := i
	for i < len(in) && isDecimal(in[i]) {
		i++
	}
	if i == digits && (i == len(in) || in[i] != '.') {
		return span{}, false
	}
	for i < len(in) && (isDecimal(in[i]) || in[i] == '.') {
		i++
	}
	if i == len(in) || in[i] != ';' && in[i] != ',' && !isSpace(in[i]) {
		return span{}, false
	}
	i = skipSpace(in, i)
	if i < len(in) && (in[i] == ';' || in[i] == ',') {
		i = skipSpace(in, i+1)
	}
	if i == len(in) {
		return span{}, false
	}
	// "url=" may stand in front, with white space around the equals sign. Where
	// it stops short after the u all of it is the URL, quotes included.
	start := i
	if lowerByte(in[i]) == 'u' {
		if i+2 >= len(in) || lowerByte(in[i+1]) != 'r' || lowerByte(in[i+2]) != 'l' {
			return span{start, len(in)}, true
		}
		i = skipSpace(in, i+3)
		if i == len(in) || in[i] != '=' {
			return span{start, len(in)}, true
		}
		i = skipSpace(in, i+1)
	}
	end := len(in)
	if i < end && (in[i] == '"' || in[i] == '\'') {
		quote := in[i]
		i++
		if n := bytes.IndexByte(in[i:], quote); n >= 0 {
			end = i + n
		}
	}
	return span{i, end}, i < end
}
