package render

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/runtime"
)

// ControlAttribute is an attribute of the controls in the HTML that SignIn passes to fill: their
// number, which has a minus sign before it if readers do not see the control.
const ControlAttribute = "data-orbweaver-control"

// maxForms is how many forms a sign-in fills in.
const maxForms = 5

// SignIn opens a page and fills in its forms, as a user does. Each request of the browser is
// passed to send; that for a document has the header field Sec-Fetch-Dest. When the page is
// quiet, fill gets its URL and its HTML, and returns values by the number of their control, and
// the button to press, -1 for the first one. There is nothing more to fill in if there are no
// values.
func (r *Renderer) SignIn(ctx context.Context, url string, send func(*http.Request) (*http.Response, error),
	fill func(url string, document []byte) (values map[int]string, press int, err error)) error {
	select {
	case r.tabs <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-r.tabs }()
	p, err := r.running(ctx)
	if err != nil {
		return err
	}
	return p.open(ctx, &r.options, &Request{URL: url}, send, func(t *tab) error {
		for range maxForms {
			if _, err := t.settle(); err != nil {
				return err
			}
			if _, err := evaluate(t, markControls); err != nil {
				return err
			}
			all := int64(-1)
			doc, err := call(t.ctx, t.session, dom.GetDocument, dom.GetDocumentParams{Depth: &all, Pierce: yes()})
			if err != nil {
				return err
			}
			var page Rendered
			if err := page.take(doc.Root); err != nil {
				return err
			}
			values, press, err := fill(doc.Root.DocumentURL, page.HTML)
			if err != nil || len(values) == 0 {
				return err
			}
			encoded, err := json.Marshal(values)
			if err != nil {
				return err
			}
			if _, err := evaluate(t, fmt.Sprintf("(%s)(%s, %d)", fillControls, encoded, press)); err != nil {
				return err
			}
			t.touch()
		}
		return errors.New("the forms of the sign-in do not end")
	})
}

// evaluate runs a script in the page. A page that is left meanwhile is no error.
func evaluate(t *tab, script string) (string, error) {
	res, err := call(t.ctx, t.session, runtime.Evaluate, runtime.EvaluateParams{Expression: script, AwaitPromise: yes(), ReturnByValue: yes()})
	switch {
	case errors.Is(err, errLost) || t.ctx.Err() != nil:
		return "", err
	case err != nil:
		return "", nil
	case res.ExceptionDetails != nil:
		return "", errors.New("a script of the sign-in failed: " + describe(res.ExceptionDetails))
	case res.Result == nil:
		return "", nil
	}
	return string(res.Result.Value), nil
}

const allElements = `const all = (root) => [...root.querySelectorAll("*")].flatMap((e) => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);`

// markControls gives each control its number.
const markControls = `(() => {` + allElements + `
	let n = 0
	for (const e of all(document)) if (/^(input|button|select|textarea)$/.test(e.localName)) {
		const style = getComputedStyle(e)
		const seen = e.getClientRects().length > 0 && style.visibility === "visible" && Number(style.opacity) > 0
		e.setAttribute("` + ControlAttribute + `", (seen ? "" : "-") + ++n)
	}
})()`

// fillControls writes into controls so that the frameworks notice, and presses a button.
const fillControls = `async (values, press) => {` + allElements + `
	const find = (n) => all(document).find((e) => e.getAttribute("` + ControlAttribute + `") === String(n))
	let last
	for (const [n, value] of Object.entries(values)) {
		const e = find(n)
		if (!e) continue
		last = e
		e.focus()
		Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), "value").set.call(e, value)
		for (const type of ["input", "change"]) e.dispatchEvent(new Event(type, {bubbles: true, composed: true}))
	}
	await new Promise((done) => setTimeout(done, 50))
	const isButton = (e) => (e.localName === "button" && e.type !== "reset" || e.localName === "input" && /^(submit|image)$/.test(e.type)) && !e.disabled && e.getClientRects().length > 0
	let button = press > 0 ? find(press) : null
	if (!button) {
		const list = all(document), after = list.slice(list.indexOf(last) + 1)
		button = after.find((e) => isButton(e) && (!last?.form || e.form === last.form))
	}
	setTimeout(() => {
		if (button) button.click()
		else if (last?.form) last.form.requestSubmit()
		else for (const type of ["keydown", "keypress", "keyup"]) last?.dispatchEvent(new KeyboardEvent(type, {key: "Enter", code: "Enter", keyCode: 13, bubbles: true, composed: true}))
	})
}`

// forward passes a request of a sign-in on, and its answer to the browser.
func forward(t *tab, s session, e *fetch.EventRequestPaused, kind Type) {
	var body bytes.Buffer
	for _, part := range e.Request.PostDataEntries {
		if part != nil {
			body.Write(part.Bytes)
		}
	}
	address, _, _ := strings.Cut(e.Request.URL, "#")
	req, err := http.NewRequestWithContext(t.ctx, e.Request.Method, address, &body)
	if err != nil {
		refuse(t.ctx, s, e.RequestID, kind)
		return
	}
	for name, value := range e.Request.Headers {
		if text, ok := value.(string); ok && !strings.EqualFold(name, "Cookie") && !strings.EqualFold(name, "User-Agent") {
			req.Header.Set(name, text)
		}
	}
	if kind == Page || kind == Navigation {
		req.Header.Set("Sec-Fetch-Dest", "document")
	}
	resp, err := t.send(req)
	if err != nil {
		refuse(t.ctx, s, e.RequestID, kind)
		return
	}
	reply := Reply{Status: resp.StatusCode, Header: resp.Header.Clone(), cookies: true}
	reply.Header.Del("Set-Cookie")
	for _, c := range resp.Cookies() { // forms may need those that scripts are to read, against forged requests
		if !c.HttpOnly {
			reply.Header.Add("Set-Cookie", c.String())
		}
	}
	if resp.Body != nil {
		reply.Body, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if err != nil {
		refuse(t.ctx, s, e.RequestID, kind)
		return
	}
	fulfill(t.ctx, s, e.RequestID, &reply)
}
