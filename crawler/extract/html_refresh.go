package extract

import "bytes"

// refreshURL returns the span of the URL in the content of <meta http-equiv=refresh>, using
// the shared declarative refresh steps of the HTML standard (4.2.5.3). ok is false if the
// content is not a valid refresh or refreshes the document itself.
func refreshURL(in []byte) (url span, ok bool) {
	i, ok := refreshDelay(in)
	if !ok {
		return span{}, false
	}
	i = skipSpace(in, i)
	if i < len(in) && (in[i] == ';' || in[i] == ',') {
		i = skipSpace(in, i+1)
	}
	if i == len(in) {
		return span{}, false
	}
	// "url=" may come first, with white space around the equals sign. If it is incomplete,
	// the whole rest from the 'u' on is the URL, including quotes.
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

// isRefresh reports whether browsers obey the content of <meta http-equiv=refresh>, which may lead to
// the document itself.
func isRefresh(in []byte) bool {
	_, ok := refreshDelay(in)
	return ok
}

// refreshDelay returns the offset after the delay. ok is false if there is no delay, or if
// something else than a separator follows it.
func refreshDelay(in []byte) (end int, ok bool) {
	i := skipSpace(in, 0)
	digits := i
	for i < len(in) && isDecimal(in[i]) {
		i++
	}
	if i == digits && (i == len(in) || in[i] != '.') {
		return i, false
	}
	for i < len(in) && (isDecimal(in[i]) || in[i] == '.') {
		i++
	}
	return i, i == len(in) || in[i] == ';' || in[i] == ',' || isSpace(in[i])
}
