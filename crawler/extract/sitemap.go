package extract

// sitemapVocabulary is sitemaps.org 0.9: sets of URLs and indexes of sitemaps, with Google's
// extensions for images, videos and other languages.
var sitemapVocabulary = xmlVocabulary{
	roots: []string{"urlset", "sitemapindex"},
	start: startSitemap,
	end:   endSitemap,
}

func startSitemap(r *xmlReader, e *xmlElement) {
	switch e.name {
	case "sitemapindex":
		r.doc.SitemapIndex = true
	case "loc", "content_loc", "player_loc", "thumbnail_loc":
		r.capture()
	case "link": // <xhtml:link rel="alternate" hreflang href>
		if e.space == spaceXHTML {
			r.attributeLink(spaceNone, "href", Navigation, ExpectAny)
		}
	}
}

func endSitemap(r *xmlReader, e *xmlElement) {
	switch e.name {
	case "loc":
		if r.parent() == "image" {
			r.textLink(Resource, ExpectImage)
			break
		}
		if r.locations++; r.locations > MaxLocations {
			r.fault("read sitemap: more than %d locations; the rest are ignored", MaxLocations)
			break
		}
		r.textLink(Navigation, ExpectAny)
	case "thumbnail_loc":
		r.textLink(Resource, ExpectImage)
	case "content_loc", "player_loc":
		r.textLink(Resource, ExpectAny)
	}
}
