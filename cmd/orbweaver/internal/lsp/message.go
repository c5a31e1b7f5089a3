package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	fastjson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient takes names that are there twice, and halves of surrogate pairs, as encoding/json does. What clients send is
// not read by that, because a large text would keep the messages behind it waiting five times as long.
var lenient = fastjson.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Errors of JSON-RPC and of the protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeUnknownMethod  = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeFailed         = -32803
	codeModified       = -32801
	codeCancelled      = -32800
)

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

func errorf(code int, format string, args ...any) *rpcError {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// message is a request, a notification or a response.
type message struct {
	id     json.RawMessage // nil for a notification
	method string          // "" for a response
	params json.RawMessage
	result json.RawMessage // of a response
	failed bool            // the response is an error
}

// parse returns the message of a body. If it is no message, the error says so, and the message has
// the id that the answer gets: null, unless there is a valid one.
func parse(body []byte) (m message, err *rpcError) {
	m.id = json.RawMessage("null")
	var members map[string]jsontext.Value
	if wrong := fastjson.Unmarshal(body, &members, lenient); !utf8.Valid(body) || wrong != nil && !jsontext.Value(body).IsValid(lenient) {
		return m, errorf(codeParse, "the message is not JSON in UTF-8")
	} else if wrong != nil || members == nil {
		return m, errorf(codeInvalidRequest, "a message is an object: the protocol has no batches")
	}
	id, hasID := members["id"]
	if hasID && isID(id) {
		m.id = json.RawMessage(id)
	} else if hasID && (members["result"] == nil && members["error"] == nil) {
		return m, errorf(codeInvalidRequest, "the id of a request is a number or a string")
	}
	method, hasMethod := members["method"]
	if !hasMethod {
		if m.result, m.failed = json.RawMessage(members["result"]), members["error"] != nil; !hasID || m.result == nil && !m.failed {
			return m, errorf(codeInvalidRequest, "the object is no message of JSON-RPC 2.0")
		}
		return m, nil
	}
	if json.Unmarshal(method, &m.method) != nil || m.method == "" {
		return m, errorf(codeInvalidRequest, "the method is not a name")
	}
	if m.params = json.RawMessage(members["params"]); !hasID {
		m.id = nil
	}
	return m, nil
}

// isID reports whether a value may identify a request.
func isID(id jsontext.Value) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9')
}

// decodeParams reads parameters. Those that a method does not need may be missing.
func decodeParams(params json.RawMessage, into any) error {
	if len(params) == 0 || bytes.Equal(params, []byte("null")) {
		params = json.RawMessage("{}")
	}
	if params[0] != '{' {
		return errorf(codeInvalidParams, "the parameters are not an object")
	}
	if err := fastjson.Unmarshal(params, into, lenient); err != nil {
		if wrong, ok := errors.AsType[*fastjson.SemanticError](err); ok {
			return errorf(codeInvalidParams, "%s has the wrong type: %v", strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", "."), wrong.JSONKind)
		}
		return errorf(codeInvalidParams, "%v", err)
	}
	return nil
}

// missing returns the name of a member that parameters must have and do not have, "" if there is none: one whose
// field has the tag `need:"yes"`.
func missing(t reflect.Type, params json.RawMessage) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	var given map[string]json.RawMessage
	_ = json.Unmarshal(params, &given) // nothing is given if there are none
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		value, ok := given[name]
		switch {
		case field.Anonymous:
			name, value = "", params
		case (!ok || bytes.Equal(value, []byte("null"))) && field.Tag.Get("need") != "":
			return name
		case !ok:
			continue
		}
		if within := missing(field.Type, value); within != "" {
			return strings.TrimPrefix(name+"."+within, ".")
		}
	}
	return ""
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

type failedResponse struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *rpcError       `json:"error"`
}

type call struct {
	Version string `json:"jsonrpc"`
	ID      any    `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// marshal encodes a message. Markup in strings is not escaped.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("lsp: encode %T: %v", v, err)) // all types can be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
