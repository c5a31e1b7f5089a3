package rules

import (
	"bytes"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// A crawl that is signed in must not follow links that sign out, which would end its own
// session, or links that delete something. GET should be safe
// (RFC 9110 9.2.1), but many sites have such links.

// signOutWords are path segments and values of actions that end a session or
// delete something, without "-", "_" and extensions.
var signOutWords = map[string]bool{
	"logout": true, "logoff": true, "signout": true, "signoff": true, "dologout": true, "userlogout": true,
	"endsession": true, "sessiondestroy": true, "delete": true, "destroy": true,
}

// actionNames are parameters whose value names an action.
var actionNames = map[string]bool{"action": true, "act": true, "do": true, "op": true, "cmd": true, "task": true, "mode": true}

// signsOut reports whether the words of a URL suggest that a request for it would end a
// session or delete something.
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

// signOut returns the outcome of a link that is not requested because credentials were
// given.
func signOut() *check.Outcome {
	return Skip(check.CodeExcluded, "not requested, because credentials were given and the link may sign out or delete something")
}
