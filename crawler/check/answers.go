package check

// answers describes, for each scheme that is checked, the answer that means ok.
var answers = map[string]string{
	"http":   "the server answers with a status from 200 to 299, at the end of its redirects",
	"https":  "the server has a valid certificate and answers with a status from 200 to 299, at the end of its redirects",
	"file":   "a file or directory with that name exists, in the same letter case",
	"ftp":    "the server accepts the sign-in, as anonymous unless an account is given, and has a file or directory with that name; a directory written without its final / counts as moved",
	"gopher": "the server answers as the type in the address requires: with a menu for a menu, with anything but an error for other types",
	"news":   "the server in the address, or the one given with --nntp-server or NNTP_SERVER, has the article or group",
	"telnet": "the server accepts the connection; if the address has a user name, the server asks for one; if it has a password, the server accepts it",
	"ldap":   "the server accepts the bind, anonymous unless an account is given, and has the entry, or one that matches",
	"ws":     "the server completes the opening handshake of a WebSocket (status 101)",
	"dict":   "the server has a definition or a match",
	"finger": "the server answers at all: the protocol cannot say that a user does not exist",
	"dns":    "the name has a record of the type in the address, or an address record if there is no type",
	"mailto": "the addresses are well-formed and their domains accept mail; with --mail-probe, no mail server says that a mailbox does not exist",
}

// variants are schemes that are checked like another one, and the difference.
var variants = map[string]struct{ of, more string }{
	"ftps":  {"ftp", "; all over TLS"},
	"nntp":  {"news", "; with a number, the group has that article"},
	"snews": {"news", "; all over TLS"},
	"ldaps": {"ldap", "; all over TLS"},
	"wss":   {"ws", ", over TLS"},
}

// AnswerOf describes the answer that is ok for a scheme, which is in lower case: a
// sentence without a full stop. It reports false for schemes that are not checked.
func AnswerOf(scheme string) (sentence string, ok bool) {
	if v, ok := variants[scheme]; ok {
		return answers[v.of] + v.more, true
	}
	sentence, ok = answers[scheme]
	return sentence, ok
}
