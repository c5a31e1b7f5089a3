// Code generated from the table of codes by go test ./crawler/check -run Generated -update; DO NOT EDIT.

package judging

import "github.com/orbweaver/orbweaver/crawler/check"

// The codes that only the engine gives or tells apart: of links, content checks and rendering.
const (
	CodeBotWall                check.Code = "bot-wall"                 // blocked by bot protection
	CodeTLSHostname            check.Code = "tls-hostname"             // certificate is for another host
	CodeTLSUntrusted           check.Code = "tls-untrusted"            // certificate is not trusted
	CodeTLSError               check.Code = "tls-error"                // TLS handshake failed
	CodeProtocolError          check.Code = "protocol-error"           // the answer violates its protocol
	CodeReferenceEmpty         check.Code = "reference-empty"          // empty reference
	CodeFileUnreadable         check.Code = "file-unreadable"          // file cannot be read
	CodeRobotsDisallowed       check.Code = "robots-disallowed"        // disallowed by robots.txt
	CodeLoginFailed            check.Code = "login-failed"             // signing in failed
	CodeLoginFormMissing       check.Code = "login-form-missing"       // no form to sign in with
	CodeLoginChallenge         check.Code = "login-challenge"          // the sign-in needs more than a password
	CodeLoginLost              check.Code = "login-lost"               // the session was lost
	CodeWorkerLost             check.Code = "worker-lost"              // its workers were lost three times
	CodeEvidenceMissing        check.Code = "evidence-missing"         // its answer is not in the evidence
	CodeRedirectTemporary      check.Code = "redirect-temporary"       // redirected temporarily
	CodeRedirectChain          check.Code = "redirect-chain"           // redirected more than twice
	CodeDomainParked           check.Code = "domain-parked"            // parked domain
	CodeNeverArchived          check.Code = "never-archived"           // no copy in the archive
	CodeContentDrift           check.Code = "content-drift"            // page that no longer says what it said
	CodeTLSIncompleteChain     check.Code = "tls-incomplete-chain"     // intermediate certificate is missing
	CodeTLSExpiresSoon         check.Code = "tls-expires-soon"         // certificate expires soon
	CodeInsecureHTTP           check.Code = "insecure-http"            // link uses http in place of https
	CodeURIRepaired            check.Code = "uri-repaired"             // malformed reference that browsers repair
	CodeURIInvalidTel          check.Code = "uri-invalid-tel"          // malformed telephone number
	CodeNoMX                   check.Code = "no-mx"                    // domain has no mail server
	CodeContentTypeMismatch    check.Code = "content-type-mismatch"    // HTML in place of an image, script or style sheet
	CodeLoginEndedBy           check.Code = "login-ended-by"           // asking for this link ended the session
	CodeSrcsetInvalid          check.Code = "srcset-invalid"           // image that browsers ignore
	CodeRefreshInvalid         check.Code = "refresh-invalid"          // refresh that browsers ignore
	CodeXHTMLMalformed         check.Code = "xhtml-malformed"          // XHTML that is not well-formed
	CodeReferenceUndefined     check.Code = "reference-undefined"      // reference without a definition
	CodeRouteMissing           check.Code = "route-missing"            // client-side route that does not exist
	CodeRenderFailed           check.Code = "render-failed"            // the browser could not render the page
	CodeScriptError            check.Code = "script-error"             // error in a script of the page
	CodeRenderEmpty            check.Code = "render-empty"             // the page shows nothing
	CodeScriptRedirect         check.Code = "script-redirect"          // a script leads readers to another page
	CodeRenderUnsettled        check.Code = "render-unsettled"         // the page went on changing
	CodeRenderDiffers          check.Code = "render-differs"           // scripts change what the server has sent
	CodeVirusFound             check.Code = "virus-found"              // the content is infected
	CodeVirusUnscanned         check.Code = "virus-unscanned"          // the content was not scanned for viruses
	CodeHTMLSyntax             check.Code = "html-syntax"              // error in the HTML
	CodeCSSSyntax              check.Code = "css-syntax"               // error in the CSS
	CodeTitleMissing           check.Code = "title-missing"            // page without a title
	CodeTitleDuplicate         check.Code = "title-duplicate"          // title that other pages have, too
	CodeTitleLong              check.Code = "title-long"               // long title
	CodeDescriptionMissing     check.Code = "description-missing"      // page without a description
	CodeDescriptionDuplicate   check.Code = "description-duplicate"    // description that other pages have, too
	CodeDescriptionLong        check.Code = "description-long"         // long description
	CodeH1Missing              check.Code = "h1-missing"               // page without a main heading
	CodeH1Many                 check.Code = "h1-many"                  // several main headings
	CodeCanonicalBroken        check.Code = "canonical-broken"         // canonical address that is broken
	CodeCanonicalChain         check.Code = "canonical-chain"          // canonical address that leads elsewhere
	CodeCanonicalConflict      check.Code = "canonical-conflict"       // several canonical addresses
	CodeNoindexLinked          check.Code = "noindex-linked"           // linked page that asks not to be indexed
	CodeSitemapNotOK           check.Code = "sitemap-not-ok"           // address in the sitemap that should not be there
	CodeOrphan                 check.Code = "orphan"                   // page that no other page links to
	CodeOgEmpty                check.Code = "og-empty"                 // property of Open Graph without a value
	CodeDoctypeMissing         check.Code = "doctype-missing"          // page without a doctype
	CodeAltMissing             check.Code = "alt-missing"              // image without alternative text
	CodeAltBlank               check.Code = "alt-blank"                // image whose alternative text is blank
	CodeImageDimensionsMissing check.Code = "image-dimensions-missing" // image without dimensions
	CodeImageLarge             check.Code = "image-large"              // large image
	CodeImageScaled            check.Code = "image-scaled"             // image that is larger than shown
	CodeFaviconMissing         check.Code = "favicon-missing"          // site without an icon
	CodeOgImageMissing         check.Code = "og-image-missing"         // page without a preview image
	CodeSRIMismatch            check.Code = "sri-mismatch"             // content that browsers refuse
	CodeSRIMissing             check.Code = "sri-missing"              // content of another site without integrity
	CodeFormInsecure           check.Code = "form-insecure"            // form that is sent without encryption
	CodeHeaderMissing          check.Code = "header-missing"           // security header that is missing
	CodeHreflangInvalid        check.Code = "hreflang-invalid"         // language that does not exist
	CodeHreflangNotReciprocal  check.Code = "hreflang-not-reciprocal"  // translation that does not link back
	CodeHreflangSelfMissing    check.Code = "hreflang-self-missing"    // page that is not among its translations
	CodeHreflangNotCanonical   check.Code = "hreflang-not-canonical"   // translation that is not canonical
	CodeLangMissing            check.Code = "lang-missing"             // page without a language
	CodeLangInvalid            check.Code = "lang-invalid"             // language that does not exist
	CodeDuplicateContent       check.Code = "duplicate-content"        // page with the text of another one
	CodeNearDuplicate          check.Code = "near-duplicate"           // page with nearly the text of another one
	CodeLabelMissing           check.Code = "label-missing"            // form field without a label
	CodeLinkTextEmpty          check.Code = "link-text-empty"          // link without a name
	CodeLinkTextVague          check.Code = "link-text-vague"          // link text that says nothing
	CodeLinkNotCrawlable       check.Code = "link-not-crawlable"       // link that only a script can follow
	CodeHrefMissing            check.Code = "href-missing"             // a element without an address
	CodeLinkPlaceholder        check.Code = "link-placeholder"         // link whose address is only #
	CodeHeadingSkipped         check.Code = "heading-skipped"          // level of headings that is skipped
	CodeFrameTitleMissing      check.Code = "frame-title-missing"      // frame without a title
	CodeTabindexPositive       check.Code = "tabindex-positive"        // tabindex above 0
	CodeFileUnused             check.Code = "file-unused"              // file that nothing refers to
	CodeLinkDuplicate          check.Code = "link-duplicate"           // entry of a list with the link of another one
	CodePluginFailed           check.Code = "plugin-failed"            // a plugin failed for the page
)
