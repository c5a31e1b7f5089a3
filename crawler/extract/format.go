package extract

// A format is a kind of document that has a reader. It is a row of the table in formats.go
// and is defined in the file with its name. Only the table refers to readers; readers do not
// depend on the table.
type format struct {
	name       string
	media      []string // media types, in lower case
	extensions []string // of file names, without the dot, in lower case
	names      []string // whole file names, in lower case, for files without an extension
	// sniff reports whether the first bytes of a document are of this format; nil when they
	// cannot show that.
	sniff func(head []byte) bool
	// mustSniff is set for a format that shares its media types and extensions with others.
	// It is chosen only if sniff confirms it, and comes before the more general format in the
	// table.
	mustSniff bool
	// weakSniff is set for a mustSniff format whose signature also occurs in other documents.
	// sniff then only confirms what the extension says.
	weakSniff bool
	// binary documents are not text. The reader gets their bytes undecoded.
	binary bool
	// onlyNamed is set for a format that is read only if the user names the document, not if
	// it is found in a directory or on a site, because most such text files are not documents
	// with links.
	onlyNamed bool
	// inPlace formats are read from Input.Path, if set, instead of Body.
	inPlace bool
	// charset returns the WHATWG name of the encoding when neither a byte order mark nor the
	// media type determines it.
	charset func(body []byte) string
	pieces  bool // Input.Rest can be read in pieces
	read    func(h *harvest, in *Input)
}

// SniffLength is how many of a document's first bytes are used to detect its format.
const SniffLength = 1445
