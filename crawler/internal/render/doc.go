// Package render shows pages in a real browser, Chromium, and reads what their scripts have
// made of them.
//
//	path, err := render.Find("")                     // the browser
//	renderer := render.New(render.Options{Path: path, Sandbox: true})
//	defer renderer.Close()                           // nothing is left: no process, no directory
//	tab, err := renderer.Open(ctx, &render.Request{URL: "https://example.com/"})
//	defer tab.Close()
//	for {
//		ask, err := tab.Next(ctx)
//		if err != nil {
//			return nil, err
//		}
//		if ask == nil {
//			return tab.Page(), nil
//		}
//		go func() { tab.Reply(ask, answer(ask)) }()
//	}
//
// The browser sends no request. Its caller pulls each GET request of a page, that for the page
// included, and answers it (pull.go); all others are refused, and names of hosts are not looked
// up. So the caller decides what is asked, how often, at what pace, and with which secrets,
// and the browser knows none of them.
//
// The browser is controlled over a pipe (conn.go). It listens on no port. Each page has a
// browser context of its own (tab.go; requests.go): its cookies, its cache and its workers are gone when
// the page was read.
//
// A page is read when it is quiet (settle.go): it has loaded, and for a while it has neither
// asked for anything nor added or removed elements. A page that does not become quiet is read
// when its time is up, after its scripts were ended.
//
// What is read is a snapshot of the document with its open and closed shadow roots. It is
// written as HTML of a special form (snapshot.go), so that whoever reads HTML can read it,
// and can still find the element of each line.
//
// Pages are hostile. Windows are closed before they ask for anything, dialogs are dismissed,
// downloads denied, service workers not registered. A page whose process uses too much
// memory (memory.go), or whose scripts cannot be ended, fails. A browser that dies is started
// again, and its pages are tried once more (render.go).
package render
