package extract

// A format is a kind of document that there is a reader for: a row of the table in
// formats.go, and a file named like it. Only the table leads to a reader; readers do not
// depend on it.
type format struct {
	name       string
	media      []string // media types, in lower case
	extensions []string // of file names, without the dot, in lower case
	names      []string // whole file names, in lower case, of what has no extension
	// sniff tells the format by a document's first bytes; nil when it cannot be told.
	sniff func(head []byte) bool
	// signed formats share their media types and extensions with others: they take
	// only what sniff knows. They stand in front of the format they are told from.
	signed bool
	// confirms formats are signed ones whose signature other texts bear too: it only
	// confirms what the extension says.
	confirms bool
	// binary documents are no text: the reader gets them as they are.
	binary bool
	// named formats are read where the user names a document, not when it lies in a
	// directory or a site: most text files there are no documents with links.
	named bool
	// inPlace formats are read from Input.Path, where there is one, and not from Body.
	inPlace bool
	// charset finds the encoding where neither a byte order mark nor the media
	// type tell it: its WHATWG name.
	charset func(body []byte) string
	pieces  bool // it reads Input.Rest where it may
	read    func(h *harvest, in *Input)
}

// SniffLength is how many of a document's first bytes are looked at to tell its format.
const SniffLength = 1445
