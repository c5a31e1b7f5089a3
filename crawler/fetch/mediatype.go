package fetch

import (
	"bytes"
	"path/filepath"
	"strings"
)

// mediaTypes maps file extensions to the media types that static hosts send. A table in
// the program keeps reports independent of the mime.types file of the machine. The
// types have no charset, because the document declares its own.
var mediaTypes = map[string]string{
	"html":        "text/html",
	"htm":         "text/html",
	"shtml":       "text/html",
	"xhtml":       "application/xhtml+xml",
	"xht":         "application/xhtml+xml",
	"mhtml":       "multipart/related",
	"css":         "text/css",
	"js":          "text/javascript",
	"mjs":         "text/javascript",
	"cjs":         "text/javascript",
	"wasm":        "application/wasm",
	"json":        "application/json",
	"map":         "application/json",
	"jsonld":      "application/ld+json",
	"webmanifest": "application/manifest+json",
	"md":          "text/markdown",
	"markdown":    "text/markdown",
	"mkd":         "text/markdown",
	"mdown":       "text/markdown",
	"mkdn":        "text/markdown",
	"mdwn":        "text/markdown",
	"qmd":         "text/markdown",
	"rmd":         "text/markdown",
	"mdx":         "text/markdown",
	"txt":         "text/plain",
	"text":        "text/plain",
	"log":         "text/plain",
	"csv":         "text/csv",
	"tsv":         "text/tab-separated-values",
	"tab":         "text/tab-separated-values",
	"rst":         "text/x-rst",
	"rest":        "text/x-rst",
	"adoc":        "text/asciidoc",
	"asciidoc":    "text/asciidoc",
	"org":         "text/org",
	"gmi":         "text/gemini",
	"gemini":      "text/gemini",
	"ipynb":       "application/x-ipynb+json",
	"eml":         "message/rfc822",
	"xml":         "text/xml",
	"xsl":         "application/xml",
	"xslt":        "application/xslt+xml",
	"rss":         "application/rss+xml",
	"atom":        "application/atom+xml",
	"opml":        "text/x-opml",
	"rdf":         "application/rdf+xml",
	"svg":         "image/svg+xml",
	"svgz":        "application/gzip",
	"dbk":         "application/docbook+xml",
	"docbook":     "application/docbook+xml",
	"png":         "image/png",
	"apng":        "image/apng",
	"gif":         "image/gif",
	"jpg":         "image/jpeg",
	"jpeg":        "image/jpeg",
	"jfif":        "image/jpeg",
	"webp":        "image/webp",
	"avif":        "image/avif",
	"jxl":         "image/jxl",
	"bmp":         "image/bmp",
	"ico":         "image/x-icon",
	"tif":         "image/tiff",
	"tiff":        "image/tiff",
	"heic":        "image/heic",
	"pdf":         "application/pdf",
	"ps":          "application/postscript",
	"eps":         "application/postscript",
	"epub":        "application/epub+zip",
	"rtf":         "application/rtf",
	"doc":         "application/msword",
	"docx":        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xls":         "application/vnd.ms-excel",
	"xlsx":        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"ppt":         "application/vnd.ms-powerpoint",
	"pptx":        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"odt":         "application/vnd.oasis.opendocument.text",
	"ods":         "application/vnd.oasis.opendocument.spreadsheet",
	"odp":         "application/vnd.oasis.opendocument.presentation",
	"odg":         "application/vnd.oasis.opendocument.graphics",
	"ics":         "text/calendar",
	"vcf":         "text/vcard",
	"plist":       "application/x-plist",
	"sqlite":      "application/vnd.sqlite3",
	"jsonlz4":     "application/x-mozlz4",
	"mozlz4":      "application/x-mozlz4",
	"baklz4":      "application/x-mozlz4",
	"woff":        "font/woff",
	"woff2":       "font/woff2",
	"ttf":         "font/ttf",
	"otf":         "font/otf",
	"eot":         "application/vnd.ms-fontobject",
	"mp3":         "audio/mpeg",
	"m4a":         "audio/mp4",
	"ogg":         "audio/ogg",
	"oga":         "audio/ogg",
	"opus":        "audio/ogg",
	"flac":        "audio/flac",
	"wav":         "audio/wav",
	"mp4":         "video/mp4",
	"m4v":         "video/mp4",
	"ogv":         "video/ogg",
	"webm":        "video/webm",
	"mov":         "video/quicktime",
	"avi":         "video/x-msvideo",
	"mkv":         "video/matroska",
	"vtt":         "text/vtt",
	"zip":         "application/zip",
	"gz":          "application/gzip",
	"tgz":         "application/gzip",
	"bz2":         "application/x-bzip2",
	"xz":          "application/x-xz",
	"zst":         "application/zstd",
	"7z":          "application/x-7z-compressed",
	"tar":         "application/x-tar",
	"jar":         "application/java-archive",
	"deb":         "application/vnd.debian.binary-package",
	"iso":         "application/octet-stream",
	"bin":         "application/octet-stream",
	"exe":         "application/octet-stream",
	"dmg":         "application/octet-stream",
	"msi":         "application/octet-stream",
	"swf":         "application/x-shockwave-flash",
	"torrent":     "application/x-bittorrent",
	"toml":        "application/toml",
	"yaml":        "application/yaml",
	"yml":         "application/yaml",
}

// Types are media types by the extension of a file name, in lower case and without its dot.
// They take precedence over TypeByName. The zero value is empty.
type Types map[string]string

// Of returns the media type of a file name, or "".
func (t Types) Of(name string) string {
	if media, ok := t.Set(name); ok {
		return media
	}
	return TypeByName(name)
}

// Set returns the media type that was set for the extension of a file name, if any.
func (t Types) Set(name string) (media string, ok bool) {
	if len(t) == 0 {
		return "", false
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return "", false
	}
	media, ok = t[strings.ToLower(name[dot+1:])]
	return media, ok
}

// TypeByName returns the media type that the extension of a file name implies, ignoring
// letter case, or "".
func TypeByName(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || strings.IndexByte(name[dot:], '/') >= 0 || strings.IndexByte(name[dot:], filepath.Separator) >= 0 {
		return ""
	}
	extension := name[dot+1:]
	if media, ok := mediaTypes[extension]; ok {
		return media
	}
	return mediaTypes[strings.ToLower(extension)]
}

// SniffText returns the media type of text whose format is not known otherwise: HTML if it begins
// with a tag, and plain text if not.
func SniffText(body []byte) string {
	if start := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")), " \t\r\n"); len(start) > 1 && start[0] == '<' && (start[1] == '!' || 'a' <= start[1]|0x20 && start[1]|0x20 <= 'z') {
		return "text/html"
	}
	return "text/plain"
}
