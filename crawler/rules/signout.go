package rules

import (
	"bytes"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Who crawls a site signed in must not press its buttons: a link that signs out
// ends the crawl's own session, one that deletes does harm. GET should be safe
// (RFC 9110 9.2.1), but many sites have such links.

// signOutWords are path segments and values of actions that end a session or
// delete, "-", "_" and extensions taken out.
var signOutWords = map[string]bool{
	"logout": true, "logoff": true, "signout": true, "signoff": true, "dologout": true, "userlogout": true,
	"endsession": true, "sessiondestroy": true, "delete": true, "destroy": true,
}

// actionNames are parameters whose value names what is to be done.
var actionNames = map[string]bool{"action": true, "act": true, "do": true, "op": true, "cmd": true, "task": true, "mode": true}

// signsOut reports whether asking for a URL would end a session or delete something,
// as far as its words tell.
func signsOut(v Href) bool {
	for segment := range bytes.SplitSeq(v.Path(), []byte("/")) {
		if isSignOutWord(string(segment)) {
			return true
		}
	}
	query := strings.TrimPrefix(string(v.Bytes[v.Offsets.QueryStart:v.Offsets.FragmentStart]), "?")
	for parameter := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(parameter, "=")
		special := len(value) > len("special:") && strings.EqualFold(value[:len("special:")], "special:")
		if isSignOutWord(name) || (special || actionNames[strings.ToLower(name)]) && isSignOutWord(value) {
			return true
		}
	}
	return false
}

var wordJoints = strings.NewReplacer("-", "", "_", "", "%20", "", "+", "")

func isSignOutWord(s string) bool {
	if len(s) < len("delete") || len(s) > 32 {
		return false
	}
	s = s[strings.LastIndexByte(s, ':')+1:] // MediaWiki's Special:UserLogout
	s, _, _ = strings.Cut(s, ".")
	return signOutWords[wordJoints.Replace(strings.ToLower(s))]
}

// signOut is the outcome of a link that is left alone because of the credentials.
func signOut() *check.Outcome {
	return Skip(check.CodeExcluded, "not requested, because credentials were given and the link may sign out or delete something")
}
