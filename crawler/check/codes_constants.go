// Code generated from the table of codes by go test ./crawler/check -run Generated -update; DO NOT EDIT.

package check

// The codes of links that callers tell apart; Lookup knows all.
const (
	CodeOK                    Code = "ok"                      // it works
	CodeHTTPNNN               Code = "http-NNN"                // the server answered with an error status
	CodeRateLimited           Code = "rate-limited"            // too many requests
	CodeRedirectLoop          Code = "redirect-loop"           // redirects form a loop
	CodeRedirectLimit         Code = "redirect-limit"          // too many redirects
	CodeRedirectInvalid       Code = "redirect-invalid"        // redirect without a usable address
	CodeDNSNotFound           Code = "dns-not-found"           // host name does not exist
	CodeDNSFailure            Code = "dns-failure"             // host name could not be looked up
	CodeConnectRefused        Code = "connect-refused"         // connection refused
	CodeConnectionReset       Code = "connection-reset"        // connection closed without an answer
	CodeTimeout               Code = "timeout"                 // no answer in time
	CodeTLSExpired            Code = "tls-expired"             // certificate is expired or not yet valid
	CodeBodyTruncated         Code = "body-truncated"          // the answer is incomplete
	CodeFragmentMissing       Code = "fragment-missing"        // no such anchor on the page
	CodeFragmentUnverified    Code = "fragment-unverified"     // anchor not found on the page, but a script may create it
	CodeURIInvalid            Code = "uri-invalid"             // not a valid address
	CodeSchemeUnknown         Code = "scheme-unknown"          // unknown scheme
	CodeSchemeUnchecked       Code = "scheme-unchecked"        // scheme is not checked
	CodeFileMissing           Code = "file-missing"            // file does not exist
	CodeFileCase              Code = "file-case"               // file name differs in letter case
	CodeFileOutsideRoot       Code = "file-outside-root"       // file is outside the directory
	CodeFileFromWeb           Code = "file-from-web"           // local file linked from the web
	CodeExcluded              Code = "excluded"                // excluded by a rule
	CodeExternal              Code = "external"                // other sites are not checked
	CodeLimit                 Code = "limit"                   // a limit was reached
	CodeInterrupted           Code = "interrupted"             // the run ended before the check
	CodePortBlocked           Code = "port-blocked"            // port that browsers block
	CodeAddressDenied         Code = "address-denied"          // private address, not requested
	CodeRedirectPermanent     Code = "redirect-permanent"      // moved permanently
	CodeRedirectToRoot        Code = "redirect-to-root"        // redirected to the home page
	CodeRedirectToLogin       Code = "redirect-to-login"       // redirected to a sign-in page
	CodeRedirectToOtherSite   Code = "redirect-to-other-site"  // redirected to another site
	CodeSoft404               Code = "soft-404"                // looks like a page for missing content
	CodeMixedContent          Code = "mixed-content"           // unencrypted content on an encrypted page
	CodeURICredentials        Code = "uri-credentials"         // password in an address
	CodeURIMisleadingUserinfo Code = "uri-misleading-userinfo" // user name that looks like a host
	CodeURIObfuscatedIP       Code = "uri-obfuscated-ip"       // IP address in an unusual form
	CodeFragmentDuplicate     Code = "fragment-duplicate"      // duplicate id
	CodeOutsideBase           Code = "outside-base"            // outside the published directory
	CodeLoginUnproven         Code = "login-unproven"          // nothing shows whether the sign-in worked
	CodeContentNAME           Code = "content-NAME"            // a content rule was broken
)
