package extract

// jsonFeedFormat is JSON Feed 1 and 1.1.
var jsonFeedFormat = format{
	name:       "json-feed",
	media:      []string{"application/feed+json", "application/json", "text/json"},
	extensions: []string{"json"},
	sniff: func(head []byte) bool {
		return sniffJSON(head, "://jsonfeed.org/version/", `:\/\/jsonfeed.org\/version\/`)
	},
	mustSniff: true,
	charset:   alwaysUTF8,
	read:      readJSONFeed,
}

// jsonFeedTypedFormat is a JSON Feed that is recognized by its own media type.
var jsonFeedTypedFormat = format{
	name: "json-feed", media: []string{"application/feed+json"}, charset: alwaysUTF8, read: readJSONFeed,
}

var jsonFeedRules = []jsonRule{
	{"home_page_url", Navigation, ExpectAny},
	{"feed_url", Metadata, ExpectAny},
	{"next_url", Metadata, ExpectAny},
	{"icon", Resource, ExpectImage},
	{"favicon", Resource, ExpectImage},
	{"hubs.url", Host, ExpectAny},
	{"author.url", Metadata, ExpectAny},
	{"author.avatar", Resource, ExpectImage},
	{"authors.url", Metadata, ExpectAny},
	{"authors.avatar", Resource, ExpectImage},
	{"items.url", Navigation, ExpectAny},
	{"items.external_url", Navigation, ExpectAny},
	{"items.image", Resource, ExpectImage},
	{"items.banner_image", Resource, ExpectImage},
	{"items.author.url", Metadata, ExpectAny},
	{"items.author.avatar", Resource, ExpectImage},
	{"items.authors.url", Metadata, ExpectAny},
	{"items.authors.avatar", Resource, ExpectImage},
	{"items.attachments.url", Resource, ExpectAny},
}

func readJSONFeed(h *harvest, in *Input) {
	r := jsonRules{harvest: h, rules: jsonFeedRules, title: "title", html: "content_html", label: "title"}
	r.read(in)
}
