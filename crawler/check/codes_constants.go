// Code generated from the table of codes by go test ./crawler/check -run Generated -update; DO NOT EDIT.

package check

// The codes of the table.
const (
	CodeOK                    Code = "ok"                      // it is there
	CodeHTTPNNN               Code = "http-NNN"                // the server answered with an error
	CodeBotWall               Code = "bot-wall"                // a bot wall answered
	CodeRateLimited           Code = "rate-limited"            // too many requests
	CodeRedirectLoop          Code = "redirect-loop"           // redirects go round in a circle
	CodeRedirectLimit         Code = "redirect-limit"          // too many redirects
	CodeRedirectInvalid       Code = "redirect-invalid"        // redirect without a usable address
	CodeDNSNotFound           Code = "dns-not-found"           // host name does not exist
	CodeDNSFailure            Code = "dns-failure"             // host name could not be looked up
	CodeConnectRefused        Code = "connect-refused"         // connection refused
	CodeConnectionReset       Code = "connection-reset"        // connection was cut
	CodeTimeout               Code = "timeout"                 // no answer in time
	CodeTLSExpired            Code = "tls-expired"             // certificate is out of date
	CodeTLSHostname           Code = "tls-hostname"            // certificate is for another host
	CodeTLSUntrusted          Code = "tls-untrusted"           // certificate is not trusted
	CodeTLSError              Code = "tls-error"               // TLS handshake failed
	CodeProtocolError         Code = "protocol-error"          // answer breaks the rules of its protocol
	CodeBodyTruncated         Code = "body-truncated"          // answer ends early
	CodeFragmentMissing       Code = "fragment-missing"        // no such place on the page
	CodeFragmentUnverified    Code = "fragment-unverified"     // place on the page not found, a script may make it
	CodeURIInvalid            Code = "uri-invalid"             // not a valid address
	CodeSchemeUnknown         Code = "scheme-unknown"          // unknown scheme
	CodeSchemeUnchecked       Code = "scheme-unchecked"        // scheme is not checked
	CodeFileMissing           Code = "file-missing"            // file does not exist
	CodeFileCase              Code = "file-case"               // letter case of the file name differs
	CodeFileOutsideRoot       Code = "file-outside-root"       // file lies outside the directory
	CodeFileUnreadable        Code = "file-unreadable"         // file cannot be read
	CodeFileFromWeb           Code = "file-from-web"           // local file linked from the web
	CodeRobotsDisallowed      Code = "robots-disallowed"       // robots.txt says no
	CodeExcluded              Code = "excluded"                // excluded by a rule
	CodeExternal              Code = "external"                // other sites are not checked
	CodeLimit                 Code = "limit"                   // a limit was reached
	CodeInterrupted           Code = "interrupted"             // the run ended first
	CodePortBlocked           Code = "port-blocked"            // port that browsers refuse
	CodeAddressDenied         Code = "address-denied"          // address must not be visited
	CodeRedirectPermanent     Code = "redirect-permanent"      // moved for good
	CodeRedirectTemporary     Code = "redirect-temporary"      // redirected for now
	CodeRedirectToRoot        Code = "redirect-to-root"        // redirected to the home page
	CodeRedirectToLogin       Code = "redirect-to-login"       // redirected to a sign-in page
	CodeRedirectToOtherSite   Code = "redirect-to-other-site"  // redirected to another site
	CodeSoft404               Code = "soft-404"                // looks like a page not found
	CodeTLSIncompleteChain    Code = "tls-incomplete-chain"    // intermediate certificate is missing
	CodeTLSExpiresSoon        Code = "tls-expires-soon"        // certificate ends soon
	CodeInsecureHTTP          Code = "insecure-http"           // encrypted address exists
	CodeMixedContent          Code = "mixed-content"           // unencrypted content on an encrypted page
	CodeURIRepaired           Code = "uri-repaired"            // reference was mended
	CodeURICredentials        Code = "uri-credentials"         // password in an address
	CodeURIMisleadingUserinfo Code = "uri-misleading-userinfo" // user name that looks like a host
	CodeURIObfuscatedIP       Code = "uri-obfuscated-ip"       // address written in an unusual way
	CodeFragmentDuplicate     Code = "fragment-duplicate"      // id stands more than once
	CodeNoMX                  Code = "no-mx"                   // domain names no mail server
	CodeOutsideBase           Code = "outside-base"            // leads out of the published directory
	CodeContentTypeMismatch   Code = "content-type-mismatch"   // HTML where something else belongs
)
