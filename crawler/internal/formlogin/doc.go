// Package formlogin signs in with the form of a site, and notices when the session is lost.
//
//	signIn, failure := formlogin.New(plan.Logins[0], formlogin.Options{}).SignIn()
//	ask, proof, failure := signIn.Next(nil, nil)
//	for ask != nil {
//		ask, proof, failure = signIn.Next(client.Fetch(ctx, ask)) // a *session.Failure says why nobody is signed in
//	}
//
// The package sends nothing: it yields requests, and reads their answers. The cookies are in
// the client. They go to the origins of the login only: scheme, host and port.
//
//	session.go     Session: a login in use, and its limits
//	signin.go      SignIn: the requests of a sign-in; browser.go, those of a browser
//	walk.go        the requests for one page, redirect by redirect
//	cookies.go     the cookies that they have set
//	page.go        Page: an answer, with its forms and their controls
//	form.go        Form: which field, which button, where it is sent
//	choose.go      which form comes next; challenge.go, what a program cannot answer
//	encode.go      the bytes of a form, as a browser sends them
//	prove.go       Proof and Standing: is somebody signed in?
//	signinpage.go  SignInPage: is an answer the sign-in page?
//	recognizer.go  Recognizer: is an answer the sign-in page?
//
// # Signing in
//
// A SignIn reads the page of the login and looks for the form with the one visible password
// field. If there is none, a form for the user name comes first; a form for a one-time code
// may follow. Every form is posted once, so there are at most three POST requests, and the
// password is in one of them. They are the only ones that this program ever sends.
//
// A form is sent as a browser without scripts sends it: fields in document order, hidden
// ones as served, only the button that is pressed, in the character set of the page.
// Fields that readers do not see keep their value, as sites put them there to recognize
// programs.
//
// Redirects are followed one by one. Before each step, and before each form, the host must
// be one of the login's, and https must not become http; otherwise the sign-in ends with a
// challenge. A 307 or 308 would send the password again, and is not followed.
//
// A cookie or a 200 proves nothing, since sites also answer a wrong password so. The proof
// is the check page that the user named, or a start page that differs with and without the
// session. A sign-in page without a form, when the session is to be renewed, may mean that it is
// alive: then the proof decides.
//
// A sign-in that the site refuses is an attempt that may lock the account. A Session makes
// at most two, and at most MaxSignIns sign-ins.
//
// # Noticing a loss
//
// A crawl that is signed out sees answers with status 200, or redirects that look harmless.
// A Recognizer finds answers that are the sign-in page or lead to it. Such an answer, or
// simply the time since the last proof, is a reason to ask for the Standing of the session:
// the check page or a start page tells whether it was lost, by answering as it answers
// everybody. A start page that everybody may read tells it by a link for signing out, which
// only members see. Without such a link it tells nothing, and several addresses that lead to
// one sign-in page do (Recognizer.LeadsMany).
//
// What was requested since the last proof may be what everybody sees, so the crawl holds it
// until the session is proven, and requests it again after a loss (package
// crawler/internal/proof). A session of cookies from a file (session.ForCookies) cannot be renewed.
package formlogin
