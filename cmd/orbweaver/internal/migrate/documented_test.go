package migrate

import (
	"fmt"
	"strings"
	"testing"
)

// documented is an option that the manual of another program has, with a value that is not its
// default, in the syntax of its file.
type documented struct {
	option, value string
	same          bool // we do what the value asks for without a setting
}

// lycheeDocumented are the options in the configuration of lychee 0.24 and in its help.
var lycheeDocumented = []documented{
	{option: "accept", value: `["200", "429"]`},
	{option: "accept_timeouts", value: `true`},
	{option: "archive", value: `"wayback"`, same: true}, // with suggest
	{option: "base_url", value: `"https://example.com"`},
	{option: "basic_auth", value: `["example.com user:pwd"]`},
	{option: "cache", value: `true`},
	{option: "cache_exclude_status", value: `"500.."`},
	{option: "cookie_jar", value: `"cookie-jar"`},
	{option: "default_extension", value: `"md"`},
	{option: "dump", value: `true`},
	{option: "dump_inputs", value: `true`},
	{option: "exclude", value: `['^https://example\.com/home$']`},
	{option: "exclude_all_private", value: `true`},
	{option: "exclude_link_local", value: `true`},
	{option: "exclude_loopback", value: `true`},
	{option: "exclude_path", value: `["\\.txt$", "(^|/)test/"]`},
	{option: "exclude_private", value: `true`},
	{option: "extensions", value: `["md", "txt", "html"]`},
	{option: "fallback_extensions", value: `["md", "html"]`},
	{option: "files_from", value: `"files.txt"`},
	{option: "format", value: `"json"`},
	{option: "generate", value: `"man"`},
	{option: "github_token", value: `"secret"`},
	{option: "glob_ignore_case", value: `true`},
	{option: "header", value: `{ "accept" = "text/html", "x-custom-header" = "value" }`},
	{option: "hidden", value: `true`},
	{option: "host_concurrency", value: `5`},
	{option: "host_request_interval", value: `"50ms"`},
	{option: "host_stats", value: `true`},
	{option: "hosts", value: `{ "blog.example.com" = { concurrency = 5, request_interval = "1s", headers = { "A" = "B" } } }`},
	{option: "include", value: `['gist\.github\.com.*']`},
	{option: "include_fragments", value: `"full"`},
	{option: "include_fragments", value: `"text"`},
	{option: "include_fragments", value: `true`, same: true},
	{option: "include_fragments", value: `"none"`},
	{option: "include_mail", value: `true`, same: true},
	{option: "include_verbatim", value: `true`},
	{option: "include_wikilinks", value: `true`},
	{option: "index_files", value: `["index.html", "readme.md"]`},
	{option: "insecure", value: `true`},
	{option: "max_cache_age", value: `"2d"`},
	{option: "max_concurrency", value: `14`},
	{option: "max_redirects", value: `5`},
	{option: "max_retries", value: `2`},
	{option: "method", value: `"head"`},
	{option: "min_tls", value: `"TLSv1_3"`},
	{option: "mode", value: `"emoji"`},
	{option: "no_ignore", value: `true`},
	{option: "no_progress", value: `true`},
	{option: "offline", value: `true`},
	{option: "output", value: `"report.md"`},
	{option: "preprocess", value: `{ command = "preprocess.sh" }`},
	{option: "remap", value: `["https://example.com http://example.invalid"]`},
	{option: "require_https", value: `true`},
	{option: "retry_wait_time", value: `2`},
	{option: "root_dir", value: `"/dist"`},
	{option: "scheme", value: `["https"]`},
	{option: "skip_missing", value: `true`},
	{option: "suggest", value: `true`},
	{option: "threads", value: `2`},
	{option: "timeout", value: `30`},
	{option: "user_agent", value: `"curl/7.83.1"`},
	{option: "verbose", value: `"info"`},
}

// linkCheckerDocumented are the options in the manual of linkcheckerrc of LinkChecker 10.5, and
// those in its sample file. A section without an option turns a plugin on.
var linkCheckerDocumented = []documented{
	{option: "checking.cookiefile", value: "cookies.txt"},
	{option: "checking.debugmemory", value: "1"},
	{option: "checking.localwebroot", value: "/var/www/"},
	{option: "checking.recursionlevel", value: "3"},
	{option: "checking.threads", value: "5"},
	{option: "checking.timeout", value: "30"},
	{option: "checking.aborttimeout", value: "60"},
	{option: "checking.useragent", value: "Mozilla/4.0"},
	{option: "checking.sslverify", value: "0"},
	{option: "checking.sslverify", value: "/etc/ssl/ca.pem"},
	{option: "checking.maxrunseconds", value: "600"},
	{option: "checking.maxfilesizedownload", value: "5000000"},
	{option: "checking.maxfilesizeparse", value: "1000000"},
	{option: "checking.maxnumurls", value: "153"},
	{option: "checking.maxrequestspersecond", value: "2"},
	{option: "checking.robotstxt", value: "0"},
	{option: "checking.robotstxt", value: "1"},
	{option: "checking.allowedschemes", value: "http,https"},
	{option: "checking.resultcachesize", value: "1000"},
	{option: "filtering.ignore", value: "lconline"},
	{option: "filtering.ignorewarnings", value: "http-redirected,url-whitespace"},
	{option: "filtering.ignorewarningsforurls", value: `^https://redirected\.example\.com ^http-redirected`},
	{option: "filtering.internlinks", value: `^http://www\.example\.net/`},
	{option: "filtering.nofollow", value: `http://www\.example\.com/bla`},
	{option: "filtering.checkextern", value: "1"},
	{option: "authentication.entry", value: `^https?://www\.example\.com/~calvin/ calvin mypass`},
	{option: "authentication.entry", value: `^ftp://www\.example\.com/secret/ calvin`},
	{option: "authentication.loginurl", value: "http://www.example.com/"},
	{option: "authentication.loginuserfield", value: "login"},
	{option: "authentication.loginpasswordfield", value: "password"},
	{option: "authentication.loginextrafields", value: "name1:value1"},
	{option: "output.fileoutput", value: "html,failures"},
	{option: "output.log", value: "csv/utf-8"},
	{option: "output.log", value: "none"},
	{option: "output.verbose", value: "1"},
	{option: "output.warnings", value: "0"},
	{option: "output.ignoreerrors", value: `^https://deprecated\.example\.com ^410 Gone`},
	{option: "filtering.ignoreerrors", value: `^https://old.example/`},
	{option: "output.ignoreerrors", value: `^mailto:.*@example\.com$`},
	{option: "output.ignoreerrors", value: `^https://dev.example.com/ ^SSLError`},
	{option: "output.status", value: "0"},
	{option: "output.debug", value: "all"},
	{option: "output.quiet", value: "1"},
	{option: "text.filename", value: "x.txt"},
	{option: "text.parts", value: "realurl"},
	{option: "text.encoding", value: "utf-16"},
	{option: "text.wraplength", value: "80"},
	{option: "text.colorparent", value: "white"},
	{option: "text.colorurl", value: "cyan"},
	{option: "text.colorname", value: "cyan"},
	{option: "text.colorreal", value: "white"},
	{option: "text.colorbase", value: "white"},
	{option: "text.colorvalid", value: "green"},
	{option: "text.colorinvalid", value: "red"},
	{option: "text.colorinfo", value: "red"},
	{option: "text.colorwarning", value: "red"},
	{option: "text.colordltime", value: "red"},
	{option: "text.colorreset", value: "red"},
	{option: "gml.filename", value: "x.gml"},
	{option: "gml.parts", value: "all"},
	{option: "gml.encoding", value: "utf-16"},
	{option: "dot.filename", value: "x.dot"},
	{option: "dot.parts", value: "all"},
	{option: "dot.encoding", value: "utf-16"},
	{option: "csv.filename", value: "x.csv"},
	{option: "csv.parts", value: "all"},
	{option: "csv.encoding", value: "utf-16"},
	{option: "csv.separator", value: ","},
	{option: "csv.quotechar", value: "'"},
	{option: "csv.dialect", value: "unix"},
	{option: "sql.filename", value: "x.sql"},
	{option: "sql.parts", value: "all"},
	{option: "sql.encoding", value: "utf-16"},
	{option: "sql.dbname", value: "links"},
	{option: "sql.separator", value: ","},
	{option: "html.filename", value: "x.html"},
	{option: "html.parts", value: "all"},
	{option: "html.encoding", value: "utf-16"},
	{option: "html.colorbackground", value: "#fff"},
	{option: "html.colorurl", value: "#fff"},
	{option: "html.colorborder", value: "#fff"},
	{option: "html.colorlink", value: "#fff"},
	{option: "html.colorwarning", value: "#fff"},
	{option: "html.colorerror", value: "#fff"},
	{option: "html.colorok", value: "#fff"},
	{option: "failures.filename", value: "x"},
	{option: "failures.encoding", value: "utf-16"},
	{option: "xml.filename", value: "x.xml"},
	{option: "xml.parts", value: "all"},
	{option: "xml.encoding", value: "utf-16"},
	{option: "gxml.filename", value: "x.gxml"},
	{option: "gxml.parts", value: "all"},
	{option: "gxml.encoding", value: "utf-16"},
	{option: "sitemap.filename", value: "x.xml"},
	{option: "sitemap.parts", value: "all"},
	{option: "sitemap.encoding", value: "utf-16"},
	{option: "sitemap.priority", value: "0.7"},
	{option: "sitemap.frequency", value: "weekly"},
	{option: "AnchorCheck", same: true},
	{option: "LocationInfo"},
	{option: "RegexCheck.warningregex", value: "Oracle Application error"},
	{option: "SslCertificateCheck", same: true},
	{option: "SslCertificateCheck.sslcertwarndays", value: "30"},
	{option: "HtmlSyntaxCheck"},
	{option: "HttpHeaderInfo.prefixes", value: "X-"},
	{option: "CssSyntaxCheck"},
	{option: "VirusCheck"},
	{option: "VirusCheck.clamavconf", value: "/nonexistent/clamd.conf"},
	{option: "PdfParser", same: true},
	{option: "WordParser", same: true},
	{option: "MarkdownCheck", same: true},
	{option: "MarkdownCheck.filename_re", value: `.*\.text$`},
}

// linkCheckerWarnings are the warnings that ignorewarnings may name.
var linkCheckerWarnings = strings.Fields(`file-anchorcheck-directory file-missing-slash file-system-path ftp-missing-slash http-cookie-store-error
	http-empty-content http-rate-limited http-redirected mail-no-mx-host url-content-size-zero url-content-too-large url-content-type-unparseable
	url-effective-url url-error-getting-content url-obfuscated-ip url-too-long url-whitespace xml-parse-error`)

// htmlTestDocumented are the options in the README of htmltest 0.17, and the others that its
// file may have.
var htmlTestDocumented = []documented{
	{option: "DirectoryPath", value: "_site"},
	{option: "DirectoryIndex", value: "home.html"},
	{option: "FilePath", value: "a.html", same: true}, // with DirectoryPath
	{option: "FileExtension", value: ".htm"},
	{option: "CheckDoctype", value: "true"},
	{option: "CheckAnchors", value: "false"},
	{option: "CheckLinks", value: "false"},
	{option: "CheckImages", value: "false"},
	{option: "CheckScripts", value: "false"},
	{option: "CheckMeta", value: "false"},
	{option: "CheckGeneric", value: "false"},
	{option: "CheckExternal", value: "false"},
	{option: "CheckInternal", value: "false"},
	{option: "CheckInternalHash", value: "false"},
	{option: "CheckMailto", value: "false"},
	{option: "CheckTel", value: "false"},
	{option: "CheckFavicon", value: "true"},
	{option: "CheckMetaRefresh", value: "false"},
	{option: "EnforceHTML5", value: "true"},
	{option: "EnforceHTTPS", value: "true"},
	{option: "IgnoreURLs", value: `["example.com", "^/misc/js/script.js$"]`},
	{option: "IgnoreInternalURLs", value: `["/a.html"]`},
	{option: "IgnoreHTTPS", value: `["^http://old"]`},
	{option: "IgnoreDirs", value: `["lib"]`},
	{option: "IgnoreInternalEmptyHash", value: "true", same: true},
	{option: "IgnoreEmptyHref", value: "true", same: true},
	{option: "IgnoreInternalEmptyHash", value: "false"},
	{option: "IgnoreEmptyHref", value: "false"},
	{option: "IgnoreAltMissing", value: "false"},
	{option: "IgnoreCanonicalBrokenLinks", value: "false"},
	{option: "IgnoreExternalBrokenLinks", value: "true"},
	{option: "IgnoreAltMissing", value: "true"},
	{option: "IgnoreAltEmpty", value: "true"},
	{option: "IgnoreDirectoryMissingTrailingSlash", value: "true"},
	{option: "IgnoreSSLVerify", value: "true"},
	{option: "IgnoreTagAttribute", value: "data-x"},
	{option: "HTTPHeaders", value: `{"X-Token": "abc"}`},
	{option: "TestFilesConcurrently", value: "true"},
	{option: "DocumentConcurrencyLimit", value: "8"},
	{option: "HTTPConcurrencyLimit", value: "8"},
	{option: "LogLevel", value: "3"},
	{option: "LogSort", value: "seq"},
	{option: "ExternalTimeout", value: "60"},
	{option: "RedirectLimit", value: "3"},
	{option: "StripQueryString", value: "false"},
	{option: "StripQueryExcludes", value: `["fonts.googleapis.com"]`},
	{option: "EnableCache", value: "false"},
	{option: "EnableLog", value: "false"},
	{option: "OutputDir", value: "x"},
	{option: "OutputCacheFile", value: "x.json"},
	{option: "OutputLogFile", value: "x.log"},
	{option: "CacheExpires", value: "6h"},
	{option: "BaseURL", value: "https://example.com/", same: false},
}

// linkinatorDocumented are the options in the README of linkinator 8 and in its help, as its
// file has them.
var linkinatorDocumented = []documented{
	{option: "concurrency", value: `10`},
	{option: "config", value: `"other.json"`},
	{option: "recurse", value: `true`},
	{option: "skip", value: `["www.googleapis.com", "example.com"]`},
	{option: "format", value: `"json"`},
	{option: "silent", value: `true`},
	{option: "verbosity", value: `"error"`},
	{option: "timeout", value: `5000`},
	{option: "timeout", value: `0`},
	{option: "markdown", value: `true`, same: true},
	{option: "checkCss", value: `true`, same: true},
	{option: "checkFragments", value: `true`, same: true},
	{option: "checkFragments", value: `false`},
	{option: "skipFragment", value: `["^code/"]`},
	{option: "serverRoot", value: `"./"`},
	{option: "directoryListing", value: `true`},
	{option: "cleanUrls", value: `true`, same: true},
	{option: "redirects", value: `"error"`},
	{option: "redirects", value: `"warn"`},
	{option: "requireHttps", value: `"error"`},
	{option: "allowInsecureCerts", value: `true`},
	{option: "retry", value: `true`, same: true},
	{option: "retryErrors", value: `true`, same: true},
	{option: "retryErrorsCount", value: `3`},
	{option: "retryErrorsJitter", value: `5`},
	{option: "urlRewriteSearch", value: `"https://example\\.com"`},
	{option: "urlRewriteReplace", value: `"http://localhost:3000"`},
	{option: "urlRewriteExpressions", value: `[{"pattern": "a", "replacement": "b"}]`},
	{option: "userAgent", value: `"Mozilla/4.0"`},
	{option: "header", value: `["Authorization:Bearer TOKEN"]`},
	{option: "statusCodes", value: `{"403": "warn", "404": "skip", "5xx": "ok"}`},
}

// muffetDocumented are the flags in the help of muffet 2.11, with their values.
var muffetDocumented = []documented{
	{option: "--accepted-status-codes", value: "200..300,403"},
	{option: "--buffer-size", value: "8192"},
	{option: "-b", value: "8192"},
	{option: "--max-connections", value: "10"},
	{option: "-c", value: "10"},
	{option: "--max-connections-per-host", value: "10"},
	{option: "--max-response-body-size", value: "1000"},
	{option: "--exclude", value: "a"},
	{option: "-e", value: "a"},
	{option: "--include", value: "a"},
	{option: "-i", value: "a"},
	{option: "--follow-robots-txt"},
	{option: "--follow-sitemap-xml"},
	{option: "--header", value: "'X-Token: abc'"},
	{option: "--ignore-fragments"},
	{option: "-f"},
	{option: "--max-retries", value: "3"},
	{option: "--dns-resolver", value: "127.0.0.1"},
	{option: "--format", value: "json"},
	{option: "--json"},
	{option: "--experimental-verbose-json"},
	{option: "--junit"},
	{option: "--max-redirections", value: "5"},
	{option: "-r", value: "5"},
	{option: "--rate-limit", value: "5"},
	{option: "--timeout", value: "30"},
	{option: "-t", value: "30"},
	{option: "--verbose"},
	{option: "-v"},
	{option: "--proxy", value: "localhost:3128"},
	{option: "--skip-tls-verification"},
	{option: "--one-page-only"},
	{option: "--color", value: "never"},
	{option: "--help", same: true},
	{option: "-h", same: true},
	{option: "--version", same: true},
}

// mlcDocumented are the options in the README of markdown-link-check 3.14.
var mlcDocumented = []documented{
	{option: "ignorePatterns", value: `[{"pattern": "^http://example.net"}]`},
	{option: "replacementPatterns", value: `[{"pattern": "%20", "replacement": "-", "global": true}]`},
	{option: "httpHeaders", value: `[{"urls": ["https://example.com"], "headers": {"Foo": "Bar"}}]`},
	{option: "timeout", value: `"20s"`},
	{option: "timeout", value: `"2000"`},
	{option: "retryOn429", value: `true`, same: true},
	{option: "retryOn429", value: `false`},
	{option: "retryCount", value: `5`},
	{option: "fallbackRetryDelay", value: `"30s"`},
	{option: "aliveStatusCodes", value: `[200, 403]`},
	{option: "projectBaseUrl", value: `"x"`},
	{option: "ignoreDisable", value: `true`},
	{option: "showProgressBar", value: `true`},
}

// htmlProoferDocumented are the options in the README of html-proofer 5, and those of version 3.
var htmlProoferDocumented = []documented{
	{option: "allow_hash_href", value: "false"},
	{option: "allow_hash_href", value: "true", same: true},
	{option: "allow_missing_href", value: "false"},
	{option: "assume_extension", value: ".html"},
	{option: "cache", value: "{timeframe: {external: 30d}}"},
	{option: "check_external_hash", value: "false"},
	{option: "check_internal_hash", value: "false"},
	{option: "check_sri", value: "true"},
	{option: "checks", value: "[Links, Favicon]"},
	{option: "directory_index_file", value: "home.html"},
	{option: "directory_index_files", value: "[home.html, index.html]"},
	{option: "disable_external", value: "true"},
	{option: "enforce_https", value: "true"},
	{option: "extensions", value: "[.htm]"},
	{option: "hydra", value: "{max_concurrency: 5}"},
	{option: "ignore_empty_alt", value: "false"},
	{option: "ignore_empty_mailto", value: "true"},
	{option: "ignore_files", value: "[/a/]"},
	{option: "ignore_missing_alt", value: "true"},
	{option: "ignore_status_codes", value: "[999]"},
	{option: "ignore_urls", value: "[/a/]"},
	{option: "log_level", value: "':debug'"},
	{option: "only_4xx", value: "true"},
	{option: "only_status_codes", value: "[404]"},
	{option: "parallel", value: "{in_processes: 3}"},
	{option: "root_dir", value: "x"},
	{option: "swap_attributes", value: "{img: [[srcset, src]]}"},
	{option: "swap_urls", value: "{a: b}"},
	{option: "typhoeus", value: "{timeout: 5}"},
	{option: "url_ignore", value: "[/a/]"},
	{option: "url_swap", value: "{a: b}"},
	{option: "file_ignore", value: "[/a/]"},
	{option: "http_status_ignore", value: "[999]"},
	{option: "check_html", value: "true"},
	{option: "check_favicon", value: "true"},
	{option: "check_opengraph", value: "true"},
	{option: "check_img_http", value: "true"},
	{option: "empty_alt_ignore", value: "true"},
	{option: "alt_ignore", value: "[/a/]"},
	{option: "external_only", value: "true"},
	{option: "internal_domains", value: "[example.com]"},
	{option: "validation", value: "{report_eof_tags: true}"},
}

// sphinxDocumented are the options of the builder linkcheck in the manual of Sphinx 8.
var sphinxDocumented = []documented{
	{option: "linkcheck_allowed_redirects", value: `{r"https://a/": r"https://b/"}`},
	{option: "linkcheck_request_headers", value: `{"*": {"Accept": "text/html"}}`},
	{option: "linkcheck_retries", value: "2"},
	{option: "linkcheck_timeout", value: "5"},
	{option: "linkcheck_workers", value: "3"},
	{option: "linkcheck_anchors", value: "False"},
	{option: "linkcheck_anchors", value: "True", same: true},
	{option: "linkcheck_anchors_ignore", value: "['^!']"},
	{option: "linkcheck_anchors_ignore_for_url", value: "['https://a/']"},
	{option: "linkcheck_auth", value: "[('https://a/', ('u', 'p'))]"},
	{option: "linkcheck_rate_limit_timeout", value: "10"},
	{option: "linkcheck_exclude_documents", value: "['a']"},
	{option: "linkcheck_allow_unauthorized", value: "True"},
	{option: "linkcheck_report_timeouts_as_broken", value: "True"},
	{option: "linkcheck_case_insensitive_urls", value: "['a']"},
	{option: "linkcheck_ignore", value: "['a']"},
	{option: "linkcheck_ignore", value: "compute()"},
	{option: "tls_verify", value: "False"},
	{option: "tls_cacerts", value: "'ca.pem'"},
	{option: "user_agent", value: "'x'"},
	{option: "html_baseurl", value: "'https://a/'"},
}

// flagsDocumented are flags of programs in a command, as their helps name them.
var flagsDocumented = map[string][]string{
	"linkchecker": {"--check-extern", "--ignore-url=a", "--no-follow-url a", "-r 1", "--recursion-level 1", "-t 5", "--timeout 5", "--user-agent x", "--cookiefile c", "--no-robots",
		"-o csv", "-F html/x.html", "-v", "--no-status", "--no-warnings", "-q", "-D all", "-f rc", "--config rc", "-u me", "-p", "--stdin"},
	"htmltest":            {"-c x.yml", "--conf x.yml", "-s", "--skip-external", "-l 1", "--log-level 3"},
	"htmlproofer":         {"--disable-external", "--ignore-urls /a/,b", "--allow-hash-href=false", "--swap-urls a:b", "--ignore-status-codes 999", "--only-4xx", "--check-sri"},
	"markdown-link-check": {"-q", "--quiet", "-v", "-a 403", "--alive 403", "-c x.json", "-i a", "--projectBaseUrl x", "-p"},
	"awesome_bot":         {"--allow 403", "-a 403", "--allow-ssl", "--allow-timeout", "--base-url https://a/", "-d 1", "-t 5", "-w a,b", "--white-list a", "--allow-redirect"},
}

// lycheeActionDocumented and linkinatorActionDocumented are the inputs of the actions.
var (
	lycheeActionDocumented = strings.Fields("args debug fail failIfEmpty format jobSummary lycheeVersion output checkbox token workingDirectory")

	linkinatorActionDocumented = strings.Fields(`paths concurrency recurse linksToSkip skip timeout markdown serverRoot directoryListing retry retryErrors
		retryErrorsCount retryErrorsJitter userAgent verbosity config urlRewriteSearch urlRewriteReplace allowInsecureCerts requireHttps cleanUrls checkCss
		checkFragments statusCodes redirects`)
)

// carries fails if reading a file with an option gives the same as reading one without it, or
// if the option is unknown.
func carries(t *testing.T, d documented, file, without, with string) {
	t.Helper()
	read := func(text string) string {
		c, err := Read(file, []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", d.option, err)
		}
		for _, s := range c.Skipped {
			if s.Reason == "unknown option" {
				t.Errorf("%s is unknown", s.Option)
			}
			if s.Reason == "" {
				t.Errorf("%s is not imported, without a reason", s.Option)
			}
		}
		return formatConfig(c)
	}
	if same := read(without) == read(with); same != d.same {
		t.Errorf("%s: %s: changes nothing: %t, want %t", file, with, same, d.same)
	}
}

// TestDocumentedOptions has every option that the manuals of the other programs name. Each is
// imported, or is named as not imported.
func TestDocumentedOptions(t *testing.T) {
	for _, d := range lycheeDocumented {
		carries(t, d, "lychee.toml", "", d.option+" = "+d.value+"\n")
		carries(t, d, "pyproject.toml", "[tool.lychee]\n", "[tool.lychee]\n"+d.option+" = "+d.value+"\n")
	}
	for _, d := range linkCheckerDocumented {
		section, option, isOption := strings.Cut(d.option, ".")
		head := "[filtering]\n[" + section + "]\n"
		if !isOption {
			carries(t, d, "linkcheckerrc", "[filtering]\n", head)
			continue
		}
		carries(t, d, "linkcheckerrc", head, head+option+"="+d.value+"\n")
	}
	for _, name := range linkCheckerWarnings {
		d := documented{option: name}
		carries(t, d, "linkcheckerrc", "[filtering]\n", "[filtering]\nignorewarnings="+name+"\n")
		if c, err := Read("linkcheckerrc", []byte("[filtering]\nignorewarnings="+name+"\n")); err != nil || strings.Contains(formatConfig(c), "there is no warning") {
			t.Errorf("the warning %s is unknown", name)
		}
	}
	for _, d := range htmlTestDocumented {
		carries(t, d, ".htmltest.yml", "{}\n", d.option+": "+d.value+"\n")
	}
	for _, d := range linkinatorDocumented {
		carries(t, d, "linkinator.config.json", "{}", fmt.Sprintf("{%q: %s}", d.option, d.value))
	}
	for _, d := range muffetDocumented {
		carries(t, d, "Makefile", "a:\n\tmuffet http://localhost\n", "a:\n\tmuffet "+d.option+" "+d.value+" http://localhost\n")
		if strings.HasPrefix(d.option, "--") && d.value != "" {
			carries(t, d, "Makefile", "a:\n\tmuffet http://localhost\n", "a:\n\tmuffet "+d.option+"="+d.value+" http://localhost\n")
		}
	}
}

// TestDocumentedOptionsOfOthers is the same for programs whose files are programs, or JSON.
func TestDocumentedOptionsOfOthers(t *testing.T) {
	for _, d := range mlcDocumented {
		carries(t, d, "markdown-link-check.json", "{}", fmt.Sprintf("{%q: %s}", d.option, d.value))
	}
	for _, d := range htmlProoferDocumented {
		carries(t, d, ".html-proofer.yml", "{}\n", d.option+": "+d.value+"\n")
	}
	for _, d := range sphinxDocumented {
		carries(t, d, "conf.py", "project = 'x'\n", "project = 'x'\n"+d.option+" = "+d.value+"\n")
	}
	for program, flags := range flagsDocumented {
		for _, flag := range flags {
			carries(t, documented{option: flag}, "Makefile", "a:\n\t"+program+" x\n", "a:\n\t"+program+" "+flag+" x\n")
		}
	}
}

// TestDocumentedFlags has the flags of lychee and linkinator, which are the options of their
// files in another spelling.
func TestDocumentedFlags(t *testing.T) {
	for _, d := range lycheeDocumented {
		if d.option == "hosts" {
			continue // only in the file
		}
		name := strings.ReplaceAll(d.option, "_", "-")
		value := "x"
		for _, s := range lycheeLine.switches {
			if s == name {
				value = ""
			}
		}
		carries(t, documented{option: name, same: true}, "Makefile", "a:\n\tlychee --"+name+" "+value+"\n", "a:\n\tlychee --"+name+" "+value+"\n")
	}
	for letter, name := range lycheeLine.short {
		if _, known := lycheeRows[lycheeLine.name(name)]; !known {
			t.Errorf("lychee -%s is %s, which is unknown", letter, name)
		}
	}
	for _, d := range linkinatorDocumented {
		if _, known := linkinatorRows[d.option]; !known {
			t.Errorf("linkinator: %s is unknown", d.option)
		}
	}
	for _, name := range lycheeActionDocumented {
		if _, known := lycheeActionRows[name]; !known {
			t.Errorf("lychee-action: %s is unknown", name)
		}
	}
	for _, name := range linkinatorActionDocumented {
		if _, known := linkinatorRows[name]; !known {
			t.Errorf("linkinator-action: %s is unknown", name)
		}
	}
}
