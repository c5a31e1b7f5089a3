// Package inspect looks at the documents of a crawl, beyond their links: for viruses, errors
// of syntax, the quality of pages, rules of the user's own, and with plugins. The engine
// calls an [Inspector] once for each document that it has read.
//
//	groups, err := inspect.ParseGroups("seo,accessibility")
//	if err != nil {
//		return err
//	}
//	inspector, err := inspect.Open(ctx, inspect.Config{Groups: groups})
//	if err != nil {
//		return err
//	}
//	defer inspector.Close()
//	cfg.Judging.Inspector = inspector // of a crawler.Config
//
//	page         the document that is looked at                        page.Page
//	htmltoken    the tokens of HTML, with their parse errors
//	htmlsyntax   the group html            csssyntax  the group css
//	validator    Nu HTML Checker, tidy     clamd      the group virus
//	pagerules    seo, images, security, i18n, duplicates, accessibility: one page, and the
//	             facts by which pages are compared
//	siterules    what can be said only when all pages are known; called by package verdicts
//	content      rules of the user's own   plugin     programs of the user's own
//
// The tokens of an HTML document are read once, for all groups that need them, and before its
// links: the tokens tell package extract where links and anchors may be. What is found
// becomes part of the document's outcome (judging.Inspection), so that a store, a cache and a
// resumed crawl keep it.
package inspect
