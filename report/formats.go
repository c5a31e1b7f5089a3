package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Formats are all formats. Each is one row here and one file.
var Formats = []*Format{
	&textFormat,
	&jsonFormat,
	&ndjsonFormat,
	&csvFormat,
	&htmlFormat,
	&markdownFormat,
	&junitFormat,
	&sarifFormat,
	&githubFormat,
	&codequalityFormat,
	&xmlFormat,
	&dotFormat,
	&gmlFormat,
	&graphmlFormat,
	&sitemapFormat,
	&sqliteFormat,
	&linkcheckerCSVFormat,
	&linkcheckerXMLFormat,
	&linkcheckerSQLFormat,
	&linkcheckerGMLFormat,
	&linkcheckerDotFormat,
	&linkcheckerGXMLFormat,
}

// Names returns the names of all formats.
func Names() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}

// ByName returns the format with a name; letter case is ignored. The error names the
// nearest format.
func ByName(name string) (*Format, error) {
	for _, f := range Formats {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q: %s", name, allowedValues(name, Names()))
}

// byExtension returns the format for a file name: one that lists the complete name, or
// else the one with the longest matching extension.
func byExtension(file string) (*Format, error) {
	base := strings.ToLower(filepath.Base(file))
	for _, f := range Formats {
		if slices.Contains(f.Files, base) {
			return f, nil
		}
	}
	var best *Format
	longest := 0
	for _, f := range Formats {
		for _, ext := range f.Extensions {
			if len(ext) > longest && len(base) > len(ext) && strings.HasSuffix(base, ext) {
				best, longest = f, len(ext)
			}
		}
	}
	if best != nil {
		return best, nil
	}
	const how = "name the format, as in json:FILE"
	if ext := filepath.Ext(base); ext != "" {
		return nil, fmt.Errorf("no format has the extension %q: %s", ext, how)
	}
	return nil, fmt.Errorf("%q has no extension that selects a format: %s", file, how)
}
