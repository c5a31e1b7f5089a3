package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Formats are all there are. A format is one row and one file.
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

// Names lists the formats' names.
func Names() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}

// ByName finds a format. Letter case does not count. The error names the nearest
// format.
func ByName(name string) (*Format, error) {
	for _, f := range Formats {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%q is no format: %s", name, oneOf(name, Names()))
}

// ByExtension finds the format of a file by its name or its name's ending. The
// longest extension wins.
func ByExtension(file string) (*Format, error) {
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
	return nil, fmt.Errorf("%q has no extension to tell the format by: %s", file, how)
}
