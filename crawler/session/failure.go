package session

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

// SignedIn is what a sign-in has led to.
type SignedIn struct {
	Page      urinorm.URL // the page that was asked whether somebody is signed in
	Doubt     string      // why it does not show that; "" if it does
	LeftAlone []string    // addresses for signing out or deleting, which a run leaves alone
}

// A Failure says why nobody is signed in. Code is login-failed, login-form-missing or
// login-challenge.
type Failure struct {
	Code    check.Code
	Message string
	// Refused is true if the site answered a form with the form again, or with an error.
	Refused bool
	// Formless is true if the sign-in page has no form.
	Formless bool
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }
