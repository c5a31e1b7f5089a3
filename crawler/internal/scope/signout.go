package scope

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A crawl that is signed in must not follow links that sign out, which would end its own
// session, or links that delete something. GET should be safe
// (RFC 9110 9.2.1), but many sites have such links. The words for it in links' texts are in
// signoutwords.go.

// signOutWords are path segments, names of parameters and values of actions that end a
// session or delete something, without "-", "_" and extensions.
var signOutWords = wordSet(`logout logoff signout signoff dologout dosignout userlogout memberlogout adminlogout logoutuser
	mylogout wsignout1 wsignoutcleanup1 ssologout samllogout singlelogout logoutaction logoutconfirm endsession endsessions closesession destroysession sessiondestroy
	sessiondelete deletesession logmeout
	delete destroy remove erase purge deleteall deleteaccount deleteuser deleteitem deletepost deletecomment deletepage
	deletefile deleteconfirm confirmdelete deleteconfirmation dodelete removeall removeaccount removeuser removeitem
	massdelete bulkdelete deleteselected closeaccount cancelaccount
	abmelden ausloggen deconnexion deconnecter sedeconnecter cerrarsesion desconectar desconectarse
	encerrarsessao terminarsessao deslogar disconnetti disconnettiti uitloggen afmelden wyloguj wylogujsie oturumukapat
	loeschen löschen supprimer effacer eliminar borrar excluir apagar elimina cancella verwijderen usuń skasuj
	déconnexion cerrarsesión usuñ`) // the last one is "usuń" as ISO 8859-2 has it

// longestSignOutWord is the length of the longest of them as a URL may have it, in bytes.
const longestSignOutWord = 64

// actionNames are parameters whose value names an action or a page.
var actionNames = wordSet(`action act do op cmd task mode command operation method func function event step todo
	route r page p view controller module mod m option a ac dispatch logintype loginop ctl oper wa`)

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
// session or delete something. A server decodes what is percent-encoded before it looks for
// words, and one behind a proxy may do so again. So the parts of a decoded segment are those
// that the next server may see, such as matrix parameters.
func signsOut(v Href) bool {
	return wordsAct(string(v.Path()), strings.TrimPrefix(string(v.Bytes[v.Offsets.QueryStart:v.Offsets.FragmentStart]), "?"))
}

// RouteSignsOut reports the same of the view of an application that a fragment names.
func RouteSignsOut(fragment []byte) bool {
	path, query, _ := strings.Cut(strings.TrimPrefix(string(fragment), "!"), "?")
	return wordsAct(path, query)
}

func wordsAct(path, query string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if anyPart(decodePercent(segment), `/\;?#&,`, isSignOutParameter) {
			return true
		}
	}
	return anyPart(query, "&;", isSignOutParameter)
}

// isSignOutParameter reports whether a parameter, which may be a name alone, signs out or deletes.
// The name may have several words, as in delete[7], which PHP and others read as a list.
func isSignOutParameter(parameter string) bool {
	name, value, has := strings.Cut(parameter, "=")
	name, value = strings.ToLower(decodePercent(name)), decodePercent(value)
	return has && tokenNames[name] || anyPart(name, "[]", func(word string) bool {
		return isSignOutWord(word) || has && isSignOutAction(strings.Trim(word, "_"), value)
	})
}

// anyPart reports whether any part of s between separators is as is says.
func anyPart(s, separators string, is func(string) bool) bool {
	return slices.ContainsFunc(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) }), is)
}

// isSignOutAction reports whether a decoded parameter names an action that signs out or
// deletes. A value may be a path, as in OpenCart's route=account/logout, or have the action
// last, as in Joomla's task=user.logout.
func isSignOutAction(name, value string) bool {
	special := len(value) > len("special:") && strings.EqualFold(value[:len("special:")], "special:")
	path := strings.Contains(value, "/")
	if !special && !actionNames[name] && (name != "q" || !path) {
		return false
	}
	return isSignOutWord(value) || anyPart(value, "/.?#&;,", isSignOutWord) || strings.EqualFold(value, "del") || strings.EqualFold(value, "rm")
}

var wordJoints = strings.NewReplacer("-", "", "_", "", " ", "", "+", "")

// isSignOutWord reports whether a decoded word ends a session or deletes something. Of words that are not
// in ASCII, all texts of links count, too (Acts).
func isSignOutWord(s string) bool {
	if len(s) < len("purge") || len(s) > longestSignOutWord {
		return false
	}
	s = s[strings.LastIndexByte(s, ':')+1:] // MediaWiki's Special:UserLogout
	s, _, _ = strings.Cut(s, ".")
	s = strings.TrimFunc(norm.NFKC.String(strings.ToLower(s)), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return signOutWords[wordJoints.Replace(s)] || strings.IndexFunc(s, isForeign) >= 0 && Acts([]byte(s))
}

func isForeign(r rune) bool { return r > unicode.MaxASCII }

// maxEncodings is how often a word may be percent-encoded and is still recognized.
const maxEncodings = 4

// decodePercent decodes what is percent-encoded in s, also what is encoded several times. Bytes that are
// not UTF-8 are read as ISO 8859-1: the queries of pages in that encoding have them.
func decodePercent(s string) string {
	for range maxEncodings {
		decoded := decodePercentOnce(s)
		if decoded == s {
			break
		}
		s = decoded
	}
	if utf8.ValidString(s) {
		return s
	}
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

// decodePercentOnce decodes %6C, and %u006C as IIS does.
func decodePercentOnce(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(c))
				i += 2
				continue
			}
			if c, err := strconv.ParseUint(s[i+2:min(i+6, len(s))], 16, 16); err == nil && i+6 <= len(s) && s[i+1]|0x20 == 'u' {
				b = utf8.AppendRune(b, rune(c))
				i += 5
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// Acts reports whether the whole text of a link, or its title, is a word for signing out or
// deleting, in one of the languages of the table. What surrounds it without being a letter
// or digit does not count, nor does a name in brackets.
func Acts(text []byte) bool {
	const longest = 80 // bytes
	if len(text) == 0 || len(text) > longest {
		return false
	}
	s := strings.ToLower(norm.NFKC.String(string(text)))
	s = turkishI.Replace(strings.Map(visible, s))
	if open := strings.IndexAny(s, "(["); open > 0 && strings.HasSuffix(strings.TrimRight(s, " "), string(closing[s[open]])) {
		s = s[:open]
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
	}), " ")
	return actionTexts()[s]
}

// visible drops what is not shown, such as a soft hyphen.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

var closing = map[byte]rune{'(': ')', '[': ']'}

// turkishI makes the four letters i of Turkish one. In lower case, "İ" is an i with a dot
// above.
var turkishI = strings.NewReplacer("ı", "i", "i\u0307", "i")

// signOuts are what links call signing out or deleting. The scopes of a run share them.
type signOuts struct {
	some bool     // they are left alone
	left sync.Map // their keys
}

func newSignOuts(s *Settings) *signOuts {
	headers := slices.ContainsFunc(s.Judging.Rules, func(r Rule) bool { return len(r.Header) > 0 })
	return &signOuts{some: !s.Rules.AllowUnsafe && (s.Rules.Credentials || headers)}
}

// LeavesSomeAlone reports whether links that sign out or delete are not requested.
func (s *signOuts) LeavesSomeAlone() bool { return s.some }

// Acts returns the function that tells the texts of links that are left alone, or nil if
// none is.
func (s *signOuts) Acts() func(text []byte) bool {
	if s.some {
		return Acts
	}
	return nil
}

// LeaveAlone notes that a link says that a URL signs out or deletes something. Nothing requests
// it from now on, whatever other links say. A view of an application is left alone, but not its document.
func (s *signOuts) LeaveAlone(v Href) {
	if _, view := v.Route(); !view {
		s.left.Store(keyOf(v), true)
	}
}

// isLeft reports whether a link says that a URL signs out or deletes something.
func (s *signOuts) isLeft(v Href) bool {
	_, left := s.left.Load(keyOf(v))
	return left
}

func keyOf(v Href) urinorm.Key {
	var buf [256]byte
	return urinorm.Key(urinorm.AppendKey(buf[:0], v.Bytes, v.Offsets))
}

// LeavesAlone reports whether a link must not be requested, because its host gets
// credentials, and its text names signing out or deleting (acts), or its address does, or
// another link (LeaveAlone), or the page after the sign-in named the address so
// (Config.LeaveAlone).
func (s *Scope) LeavesAlone(v Href, internal, acts bool) bool {
	return s.some && (acts || signsOut(v) || s.Rules.LeaveAlone[string(v.Document())] || s.isLeft(v)) && s.getsCredentials(v, internal)
}

// getsCredentials reports whether requests for a URL, or for others of its site, have credentials.
func (s *Scope) getsCredentials(v Href, internal bool) bool {
	if rule := s.Judging.RuleFor(s.Print.Href(v)); rule != nil && len(rule.Header) > 0 {
		return true
	}
	return s.Rules.Credentials && (internal || s.Reaches(v) || s.Rules.SessionOrigins[string(v.Scheme())+"://"+string(v.Authority())] ||
		slices.ContainsFunc(s.SecretHosts, func(name string) bool {
			host, domain := string(v.Host()), strings.HasPrefix(name, ".")
			return host == strings.TrimPrefix(name, ".") || domain && strings.HasSuffix(host, name)
		}))
}

// SignOutReason is the message of a link that is left alone.
const SignOutReason = "not requested, because credentials were given and the link may sign out or delete something; --login-allow-unsafe requests it"

// signOut returns the outcome of a link that is not requested because credentials were
// given.
func signOut() *judging.Outcome { return Skip(check.CodeExcluded, SignOutReason) }
