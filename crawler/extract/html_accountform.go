package extract

import "bytes"

// accountForm recognizes a form that asks for an account and nothing else: the first step of
// a sign-in that asks for the password on the next page.
type accountForm struct {
	account bool // a field asks for the name or the mail address of an account
	other   bool // the form asks for something else
}

// open begins a form.
func (f *accountForm) open(t *startTag) {
	*f = accountForm{other: hasWord(t.get(attrID), otherForms) || hasWord(t.get(attrName), otherForms)}
	action, _, _ := bytes.Cut(t.get(attrAction), []byte{'?'})
	f.other = f.other || len(action) > 0 && (hasWord(action, otherForms) || !hasWord(action, signInForms))
}

// field adds a form field.
func (f *accountForm) field(t *startTag) {
	kind := t.get(attrType)
	for _, k := range [...]string{"hidden", "submit", "image", "button", "checkbox"} {
		if equalFold(kind, k) {
			return
		}
	}
	text := len(kind) == 0 || equalFold(kind, "text") || equalFold(kind, "email") || equalFold(kind, "tel")
	names := [...][]byte{t.get(attrName), t.get(attrID), t.get(attrAutocomplete)}
	named := equalFold(kind, "email")
	for _, name := range names {
		named = named || hasWord(name, accountFields)
		f.other = f.other || hasWord(name, otherForms)
	}
	f.other = f.other || f.account || !text || !named
	f.account = true
}

// textArea adds a field for longer text.
func (f *accountForm) textArea() { f.other = true }

// close ends the form, if one is open, and notes in the document whether it asks for an
// account and nothing else. A form in another document, such as that of a frame, is not
// noted.
func (f *accountForm) close(doc *Document, nested bool) {
	if f.account && !f.other && !nested {
		doc.AccountForm = true
	}
	*f = accountForm{}
}

var (
	// accountFields are words in the names of fields for an account.
	accountFields = []string{"email", "e-mail", "user", "login", "account", "identifier", "webauthn"}
	// signInForms are words in the addresses to which a form of a sign-in is sent.
	signInForms = []string{"login", "log-in", "log_in", "logon", "signin", "sign-in", "sign_in", "signon", "session", "auth", "identif", "account", "user", "sso"}
	// otherForms are words in the names and addresses of other forms with a mail address.
	otherForms = []string{"newsletter", "subscri", "mailing", "mailchimp", "list-manage", "signup", "sign-up", "sign_up", "register", "contact", "feedback", "comment",
		"search", "download", "notif", "updates"}
)

// hasWord reports whether a name contains one of some words, in any letter case.
func hasWord(name []byte, words []string) bool {
	if len(name) == 0 {
		return false
	}
	var buffer [128]byte
	folded := appendLower(buffer[:0], name[:min(len(name), len(buffer))])
	for _, word := range words {
		if bytes.Contains(folded, []byte(word)) {
			return true
		}
	}
	return false
}
