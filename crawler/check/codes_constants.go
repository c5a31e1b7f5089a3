// Code generated from the table of codes by go test ./crawler/check -run Generated -update; DO NOT EDIT.

package check

// The codes of links.
const (
	CodeOK                    Code = "ok"                      // it works
	CodeHTTPNNN               Code = "http-NNN"                // the server answered with an error status
	CodeBotWall               Code = "bot-wall"                // blocked by bot protection
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
	CodeTLSHostname           Code = "tls-hostname"            // certificate is for another host
	CodeTLSUntrusted          Code = "tls-untrusted"           // certificate is not trusted
	CodeTLSError              Code = "tls-error"               // TLS handshake failed
	CodeProtocolError         Code = "protocol-error"          // the answer violates its protocol
	CodeBodyTruncated         Code = "body-truncated"          // the answer is incomplete
	CodeFragmentMissing       Code = "fragment-missing"        // no such anchor on the page
	CodeFragmentUnverified    Code = "fragment-unverified"     // anchor not found on the page, but a script may create it
	CodeURIInvalid            Code = "uri-invalid"             // not a valid address
	CodeReferenceEmpty        Code = "reference-empty"         // empty reference
	CodeSchemeUnknown         Code = "scheme-unknown"          // unknown scheme
	CodeSchemeUnchecked       Code = "scheme-unchecked"        // scheme is not checked
	CodeFileMissing           Code = "file-missing"            // file does not exist
	CodeFileCase              Code = "file-case"               // file name differs in letter case
	CodeFileOutsideRoot       Code = "file-outside-root"       // file is outside the directory
	CodeFileUnreadable        Code = "file-unreadable"         // file cannot be read
	CodeFileFromWeb           Code = "file-from-web"           // local file linked from the web
	CodeRobotsDisallowed      Code = "robots-disallowed"       // disallowed by robots.txt
	CodeExcluded              Code = "excluded"                // excluded by a rule
	CodeExternal              Code = "external"                // other sites are not checked
	CodeLimit                 Code = "limit"                   // a limit was reached
	CodeInterrupted           Code = "interrupted"             // the run ended before the check
	CodePortBlocked           Code = "port-blocked"            // port that browsers block
	CodeAddressDenied         Code = "address-denied"          // private address, not requested
	CodeLoginFailed           Code = "login-failed"            // signing in failed
	CodeLoginFormMissing      Code = "login-form-missing"      // no form to sign in with
	CodeLoginChallenge        Code = "login-challenge"         // the sign-in needs more than a password
	CodeLoginLost             Code = "login-lost"              // the session was lost
	CodeWorkerLost            Code = "worker-lost"             // its workers were lost three times
	CodeEvidenceMissing       Code = "evidence-missing"        // its answer is not in the evidence
	CodeRedirectPermanent     Code = "redirect-permanent"      // moved permanently
	CodeRedirectTemporary     Code = "redirect-temporary"      // redirected temporarily
	CodeRedirectChain         Code = "redirect-chain"          // redirected more than twice
	CodeRedirectToRoot        Code = "redirect-to-root"        // redirected to the home page
	CodeRedirectToLogin       Code = "redirect-to-login"       // redirected to a sign-in page
	CodeRedirectToOtherSite   Code = "redirect-to-other-site"  // redirected to another site
	CodeSoft404               Code = "soft-404"                // looks like a page for missing content
	CodeDomainParked          Code = "domain-parked"           // parked domain
	CodeContentDrift          Code = "content-drift"           // page that no longer says what it said
	CodeTLSIncompleteChain    Code = "tls-incomplete-chain"    // intermediate certificate is missing
	CodeTLSExpiresSoon        Code = "tls-expires-soon"        // certificate expires soon
	CodeInsecureHTTP          Code = "insecure-http"           // link uses http in place of https
	CodeMixedContent          Code = "mixed-content"           // unencrypted content on an encrypted page
	CodeURIRepaired           Code = "uri-repaired"            // malformed reference that browsers repair
	CodeURICredentials        Code = "uri-credentials"         // password in an address
	CodeURIMisleadingUserinfo Code = "uri-misleading-userinfo" // user name that looks like a host
	CodeURIObfuscatedIP       Code = "uri-obfuscated-ip"       // IP address in an unusual form
	CodeURIInvalidTel         Code = "uri-invalid-tel"         // malformed telephone number
	CodeFragmentDuplicate     Code = "fragment-duplicate"      // duplicate id
	CodeNoMX                  Code = "no-mx"                   // domain has no mail server
	CodeOutsideBase           Code = "outside-base"            // outside the published directory
	CodeContentTypeMismatch   Code = "content-type-mismatch"   // HTML in place of an image, script or style sheet
	CodeLoginEndedBy          Code = "login-ended-by"          // asking for this link ended the session
	CodeLoginUnproven         Code = "login-unproven"          // nothing shows whether the sign-in worked
	CodeSrcsetInvalid         Code = "srcset-invalid"          // image that browsers ignore
	CodeRefreshInvalid        Code = "refresh-invalid"         // refresh that browsers ignore
	CodeXHTMLMalformed        Code = "xhtml-malformed"         // XHTML that is not well-formed
	CodeReferenceUndefined    Code = "reference-undefined"     // reference without a definition
	CodeContentNAME           Code = "content-NAME"            // a content rule was broken
)
