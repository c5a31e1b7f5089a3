package rules

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// A crawl that is signed in must not follow links that sign out, which would end its own
// session, or links that delete something. GET should be safe
// (RFC 9110 9.2.1), but many sites have such links. The words for it in links' texts are in
// signoutwords.go.

// signOutWords are path segments, names of parameters and values of actions that end a
// session or delete something, without "-", "_" and extensions.
var signOutWords = wordSet(`logout logoff signout signoff dologout dosignout userlogout memberlogout adminlogout logoutuser
	ssologout samllogout singlelogout logoutaction logoutconfirm endsession endsessions closesession destroysession sessiondestroy
	sessiondelete deletesession logmeout
	delete destroy remove erase purge deleteall deleteaccount deleteuser deleteitem deletepost deletecomment deletepage
	deletefile deleteconfirm confirmdelete deleteconfirmation dodelete removeall removeaccount removeuser removeitem
	massdelete bulkdelete deleteselected closeaccount cancelaccount
	abmelden ausloggen deconnexion deconnecter sedeconnecter cerrarsesion desconectar desconectarse
	encerrarsessao terminarsessao deslogar disconnetti disconnettiti uitloggen afmelden wyloguj wylogujsie oturumukapat
	loeschen löschen supprimer effacer eliminar borrar excluir apagar elimina cancella verwijderen usuń skasuj
	déconnexion cerrarsesión`)

// longestSignOutWord is the length of the longest of them as a URL may have it, in bytes.
const longestSignOutWord = 64

// actionNames are parameters whose value names an action or a page.
var actionNames = wordSet(`action act do op cmd task mode command operation method _method func function event step todo
	route r page p view controller module mod m option a ac`)

// tokenNames are parameters that protect an address against requests that a user did not
// ask for: such an address changes something.
var tokenNames = wordSet(`_wpnonce sectok csrf_token authenticity_token`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

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
		name = strings.ToLower(name)
		if tokenNames[name] || isSignOutWord(name) || isSignOutAction(name, value) {
			return true
		}
	}
	return false
}

// isSignOutAction reports whether a parameter names an action that signs out or deletes. A
// value may be a path, as in OpenCart's route=account/logout, or have the action last, as
// in Joomla's task=user.logout.
func isSignOutAction(name, value string) bool {
	value = slashes.Replace(value)
	special := len(value) > len("special:") && strings.EqualFold(value[:len("special:")], "special:")
	path := strings.Contains(value, "/")
	if !special && !actionNames[name] && (name != "q" || !path) {
		return false
	}
	if isSignOutWord(value) {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '.' }), isSignOutWord) ||
		strings.EqualFold(value, "del") || strings.EqualFold(value, "rm")
}

var slashes = strings.NewReplacer("%2F", "/", "%2f", "/")

var wordJoints = strings.NewReplacer("-", "", "_", "", "%20", "", "+", "")

func isSignOutWord(s string) bool {
	if len(s) < len("purge") || len(s) > longestSignOutWord {
		return false
	}
	s = s[strings.LastIndexByte(s, ':')+1:] // MediaWiki's Special:UserLogout
	s, _, _ = strings.Cut(s, ".")
	s = strings.ToLower(s)
	if strings.Contains(s, "%c") || strings.Contains(s, "%d") {
		s = decodeLetters(s)
	}
	return signOutWords[wordJoints.Replace(s)]
}

// decodeLetters decodes the percent-encoded letters outside ASCII of a word in lower case.
func decodeLetters(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, low := strings.IndexByte(hexDigits, s[i+1]), strings.IndexByte(hexDigits, s[i+2])
			if high >= 8 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return norm.NFC.String(strings.ToLower(b.String()))
}

const hexDigits = "0123456789abcdef"

// Acts reports whether the whole text of a link, or its title, is a word for signing out or
// deleting, in one of the languages of the table. What surrounds it without being a letter
// or digit does not count, nor does a name in brackets.
func Acts(text []byte) bool {
	const longest = 80 // bytes
	if len(text) == 0 || len(text) > longest {
		return false
	}
	s := strings.ToLower(norm.NFKC.String(string(text)))
	s = turkishI.Replace(s)
	if open := strings.IndexAny(s, "(["); open > 0 && strings.HasSuffix(strings.TrimRight(s, " "), string(closing[s[open]])) {
		s = s[:open]
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
	}), " ")
	return actionTexts[s]
}

var closing = map[byte]rune{'(': ')', '[': ']'}

// turkishI makes the four letters i of Turkish one. In lower case, "İ" is an i with a dot
// above.
var turkishI = strings.NewReplacer("ı", "i", "i\u0307", "i")

// LeavesAlone reports whether a link must not be requested, because its host gets
// credentials, and its text names signing out or deleting (acts), or its address does, or
// the page after the sign-in named the address so (Config.LeaveAlone).
func (s *Scope) LeavesAlone(v Href, internal, acts bool) bool {
	return s.cfg.LeavesSomeAlone() && (acts || signsOut(v) || s.cfg.LeaveAlone[string(v.Document())]) &&
		(internal || s.Reaches(v) || s.cfg.SessionOrigins[string(v.Scheme())+"://"+string(v.Authority())])
}

// LeavesSomeAlone reports whether links that sign out or delete are not requested.
func (c *Config) LeavesSomeAlone() bool { return c.Credentials && !c.AllowUnsafe }

// SignOutReason is the message of a link that is left alone.
const SignOutReason = "not requested, because credentials were given and the link may sign out or delete something; --login-allow-unsafe requests it"

// signOut returns the outcome of a link that is not requested because credentials were
// given.
func signOut() *check.Outcome { return Skip(check.CodeExcluded, SignOutReason) }

// Acts returns the function that tells the texts of links that are left alone, or nil if
// none is.
func (c *Config) Acts() func(text []byte) bool {
	if c.LeavesSomeAlone() {
		return Acts
	}
	return nil
}
