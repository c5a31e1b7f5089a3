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

// ControlAttribute is an attribute of the controls in the document of a form: their number, which
// has a minus sign before it if readers do not see the control.
const ControlAttribute = "data-orbweaver-control"

// maxForms is how many forms a sign-in fills in.
const maxForms = 5

// OpenForms opens a page in a new tab, as soon as one is free, to fill in its forms as a user does.
// The Tab asks for each request of the browser, and when the page is quiet, for the values of the
// form. It has no page.
func (r *Renderer) OpenForms(ctx context.Context, url string) (*Tab, error) {
	return r.open(ctx, func(ctx context.Context, asks asks) (*Rendered, error) {
		p, err := r.running(ctx)
		if err != nil {
			return nil, err
		}
		return nil, p.open(ctx, &tab{options: &r.options, req: &Request{URL: url}, asks: asks, signIn: true}, fillForms)
	})
}

// fillForms fills in the forms of a page.
func fillForms(t *tab) error {
	for range maxForms {
		if _, err := t.settle(); err != nil {
			return err
		}
		if _, err := evaluate(t, markControls); err != nil {
			return err
		}
		all := int64(-1)
		doc, err := call(t.ctx, t.page, dom.GetDocument, dom.GetDocumentParams{Depth: &all, Pierce: yes()})
		if err != nil {
			return err
		}
		var page Rendered
		if err := page.take(doc.Root); err != nil {
			return err
		}
		reply := t.asks.ask(t.ctx, &Ask{URL: doc.Root.DocumentURL, Type: Form, Document: page.HTML})
		if len(reply.Values) == 0 {
			return t.ctx.Err()
		}
		encoded, err := json.Marshal(reply.Values)
		if err != nil {
			return err
		}
		if _, err := evaluate(t, fmt.Sprintf("(%s)(%s, %d)", fillControls, encoded, reply.Press)); err != nil {
			return err
		}
		t.touch()
	}
	return errors.New("the forms of the sign-in do not end")
}

// evaluate runs a script in the page. A page that is left meanwhile is no error.
func evaluate(t *tab, script string) (string, error) {
	res, err := call(t.ctx, t.page, runtime.Evaluate, runtime.EvaluateParams{Expression: script, AwaitPromise: yes(), ReturnByValue: yes()})
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
	resp := t.asks.ask(t.ctx, &Ask{URL: address, Type: kind, Sent: req}).Passed
	if resp == nil {
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
