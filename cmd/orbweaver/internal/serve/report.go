package serve

import (
	"github.com/orbweaver/orbweaver/report"
)

// mediaTypes are the media types of reports; other formats are plain text.
var mediaTypes = map[string]string{
	"json": "application/json", "ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "html": "text/html; charset=utf-8",
	"markdown": "text/markdown; charset=utf-8", "junit": "application/xml", "xml": "application/xml", "sarif": "application/sarif+json",
	"dot": "text/vnd.graphviz; charset=utf-8", "graphml": "application/graphml+xml", "sitemap": "application/xml", "sqlite": "application/vnd.sqlite3",
	"codequality": "application/json",
}

func mediaType(f *report.Format) string {
	if t := mediaTypes[f.Name]; t != "" {
		return t
	}
	if f.Binary {
		return "application/octet-stream"
	}
	return "text/plain; charset=utf-8"
}
