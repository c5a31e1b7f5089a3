package serve

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
)

func showOpenAPI(c *call) error {
	return c.answer(http.StatusOK)(openAPI(c.server.routes, c.prefix, c.server.settings.Version), nil)
}

type object = map[string]any

// openAPI returns the OpenAPI 3.1 document of the rows that have a Doc.
func openAPI(rows []route, prefix, version string) object {
	paths := object{}
	for i := range rows {
		r := &rows[i]
		if r.Doc == "" {
			continue
		}
		path := strings.TrimPrefix(r.Path, v1)
		item, _ := paths[path].(object)
		if item == nil {
			item = object{}
			if names := pathParameters(path); len(names) > 0 {
				item["parameters"] = names
			}
			paths[path] = item
		}
		item[strings.ToLower(r.Method)] = operation(r)
		if r.Method == http.MethodGet {
			head := operation(r)
			head["operationId"] = "head" + head["operationId"].(string)
			head["responses"] = object{"default": object{"description": "as GET, without a body"}}
			item["head"] = head
		}
	}
	return object{
		"openapi": "3.1.0",
		"info":    object{"title": "Orbweaver", "version": version, "description": "Projects, runs and findings of a link checker. Field names are those of the JSON report."},
		"servers": []object{{"url": prefix + v1}},
		"paths":   paths,
		"components": object{
			"schemas":         schemas(),
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}, "session": object{"type": "apiKey", "in": "cookie", "name": cookieName}},
			"responses": object{"Problem": object{"description": "what is wrong (RFC 9457)",
				"content": object{"application/problem+json": object{"schema": ref("Problem")}}}},
		},
		"security": []object{{"token": []string{}}, {"session": []string{}}},
	}
}

func pathParameters(path string) []object {
	var all []object
	for segment := range strings.SplitSeq(path, "/") {
		if name, found := strings.CutPrefix(segment, "{"); found {
			all = append(all, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	return all
}

// operation describes one row.
func operation(r *route) object {
	answers := object{"default": object{"$ref": "#/components/responses/Problem"}}
	for status, schema := range r.Answers {
		answer := object{"description": http.StatusText(status)}
		content := object{}
		for one := range strings.FieldsSeq(schema) {
			if strings.Contains(one, "/") {
				content[one] = object{}
			} else {
				content["application/json"] = object{"schema": ref(one)}
			}
		}
		if len(content) > 0 {
			answer["content"] = content
		}
		answers[strconv.Itoa(status)] = answer
	}
	op := object{"operationId": operationID(r), "summary": r.Doc, "responses": answers, "x-role": r.Role.String()}
	var parameters []object
	for _, p := range r.Query {
		parameters = append(parameters, object{"name": p.Name, "in": "query", "description": p.Doc, "schema": object{"type": "string"}})
	}
	if len(parameters) > 0 {
		op["parameters"] = parameters
	}
	if r.Body != "" || r.Media != nil {
		media, most := r.bodies()
		content := object{}
		for _, one := range media {
			content[one] = object{"schema": text}
			if r.Body != "" {
				content[one] = object{"schema": ref(r.Body)}
			}
		}
		op["requestBody"] = object{"required": !r.Optional, "content": content, "description": fmt.Sprintf("at most %d bytes", most)}
	}
	return op
}

// operationID returns a name such as getRunsRFindings.
func operationID(r *route) string {
	id := strings.ToLower(r.Method)
	for _, part := range strings.FieldsFunc(strings.TrimPrefix(r.Path, v1), func(c rune) bool { return strings.ContainsRune("/{}.", c) }) {
		id += strings.ToUpper(part[:1]) + part[1:]
	}
	return id
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// Schemas of values.
var (
	text      = object{"type": "string"}
	opaque    = object{"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$"}
	whole     = object{"type": "integer"}
	yesNo     = object{"type": "boolean"}
	moment    = object{"type": "string", "format": "date-time", "pattern": "Z$"}
	something = object{}
	access    = orNull(object{"type": "object", "additionalProperties": word("viewer", "editor")})
	quiet     = object{"from": text, "to": text, "days": listOf(word(api.Weekdays...)), "zone": text}
)

func orNull(schema object) object {
	return object{"anyOf": []object{schema, {"type": "null"}}}
}

func listOf(schema object) object { return object{"type": "array", "items": schema} }

func word(values ...string) object { return object{"type": "string", "enum": values} }

// required returns the schema of an object whose members are all required, except those that
// are named as optional.
func required(members object, optional ...string) object {
	var names []string
	for name := range members {
		if !slices.Contains(optional, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	schema := object{"type": "object", "properties": members, "additionalProperties": false}
	if len(names) > 0 {
		schema["required"] = names
	}
	return schema
}

func partOf(schema string) object {
	return required(object{"items": listOf(ref(schema)), "next": orNull(opaque), "total": whole})
}

// countsOf returns the schema of the numbers of pages with each value.
func countsOf(value object) object {
	return listOf(required(object{"value": value, "count": whole}))
}

func schemas() object {
	finding := object{"id": opaque, "fingerprint": opaque, "url": text, "verdict": word(verdicts...), "code": text, "message": text,
		"scope": word("internal", "external"), "status": whole, "places": whole, "change": word("new", "still", "fixed", ""),
		"first_seen": orNull(moment), "known": orNull(ref("Mark")), "issue": text, "page": orNull(text), "pages": whole}
	issue := object{"id": opaque, "kind": word("document", "link", ""), "subject": text, "verdict": text, "code": text, "message": text, "findings": whole, "pages": whole, "places": whole,
		"change": word("new", "still", "fixed", ""), "delta": whole, "first_seen": orNull(moment), "known": whole, "owner": orNull(text), "comments": whole}
	detail := maps.Clone(issue)
	detail["on"], detail["items"] = listOf(required(object{"url": text, "title": text, "places": whole})), listOf(ref("Finding"))
	mark := object{"as": word("known", "false-alarm"), "reason": text, "until": orNull(text)}
	marks := maps.Clone(mark)
	marks["run"], marks["filter"], marks["fingerprints"], marks["remove"] = opaque, object{"type": "object"}, listOf(text), yesNo
	input := object{"name": object{"type": "string", "minLength": 1, "maxLength": service.MaxName}, "targets": object{"type": "array", "items": text, "maxItems": service.MaxTargets},
		"options": object{"type": "object"}, "schedule": text, "notify": listOf(ref("Notify")), "access": access, "tags": listOf(text), "quiet": orNull(required(quiet, "from", "to", "days", "zone"))}
	exchanged := maps.Clone(input)
	exchanged["urls"], exchanged["marks"], exchanged["views"] = listOf(text), listOf(object{"type": "object"}), listOf(required(object{"name": text, "query": text}))
	outcome := required(object{"verdict": text, "code": text, "message": text, "status": whole})
	role, email, digest := word("viewer", "editor", "admin"), text, word(auth.Digests...)
	return object{
		"Me":             required(object{"name": text, "role": role, "via": word("password", "oidc", "proxy", "token", "none"), "email": email, "time_zone": text, "digest": digest}),
		"MeChange":       required(object{"email": email, "time_zone": text, "digest": digest}, "email", "time_zone", "digest"),
		"PasswordChange": required(object{"current": text, "new": text}),
		"Mailed":         required(object{"delivered": yesNo, "error": orNull(text)}),
		"Session":        required(object{"id": opaque, "created": moment, "last_used": moment, "address": text, "agent": text, "current": yesNo}),
		"SessionList":    partOf("Session"),
		"User":           required(object{"name": text, "role": role, "email": email, "via": word("password", "oidc", "proxy"), "created": moment}),
		"UserList":       partOf("User"),
		"UserInput":      required(object{"name": text, "password": text, "role": role, "email": email}, "role", "email"),
		"UserChange":     required(object{"password": text, "role": role, "email": email}, "password", "role", "email"),
		"Token":          required(object{"name": text, "role": role, "expires": orNull(moment), "project": orNull(opaque), "created": moment, "token": opaque}, "token"),
		"TokenList":      partOf("Token"),
		"TokenInput":     required(object{"name": text, "role": role, "expires": orNull(text), "project": orNull(text)}, "role", "expires", "project"),
		"Exchange":       required(object{"version": object{"const": api.ExchangeVersion}, "projects": listOf(object{"type": "object", "required": []string{"name"}, "properties": exchanged})}),
		"Imported":       required(object{"added": listOf(text), "changed": listOf(text), "same": listOf(text)}),
		"Entry": required(object{"id": opaque, "time": moment, "who": text, "via": text, "address": text, "action": word(audit.Actions...), "project": orNull(opaque), "subject": text,
			"changes": object{"type": "object", "additionalProperties": object{"type": "array", "minItems": 2, "maxItems": 2}}}),
		"EntryList": partOf("Entry"),
		"StatusPage": required(object{"id": opaque, "title": text, "projects": orNull(listOf(opaque)), "tag": orNull(text), "token": opaque, "url": text, "expires": orNull(moment), "created": moment},
			"token", "url"),
		"StatusPageInput": required(object{"title": text, "projects": orNull(listOf(text)), "tag": orNull(text), "expires": orNull(text)}, "projects", "tag", "expires"),
		"StatusPageList":  partOf("StatusPage"),
		"Any":             something,
		"Problem":         required(object{"type": text, "title": text, "status": whole, "detail": text, "errors": listOf(required(object{"field": text, "message": text})), "more": whole, "current": something}, "errors", "more", "current"),
		"ProjectInput":    required(input, "options", "schedule", "notify", "access", "tags", "quiet"),
		"ProjectChange":   required(input, "name", "targets", "options", "schedule", "notify", "access", "tags", "quiet"),
		"Project": required(object{"id": opaque, "name": text, "targets": listOf(text), "options": object{"type": "object"}, "schedule": text, "notify": listOf(ref("Notify")),
			"created": moment, "last_run": orNull(ref("Run")), "next_run": orNull(moment), "version": whole, "access": access, "tags": listOf(text), "quiet": orNull(required(quiet)), "urls": whole}),
		"URLCount": required(object{"urls": whole}),
		"Notify": required(object{"type": word(notify.Types...), "url": text, "secret": text, "token": text, "to": text, "topic": text, "chat": text, "room": text,
			"on": listOf(word("new", "fixed", "unsound"))}, "url", "secret", "token", "to", "topic", "chat", "room", "on"),
		"ProjectList": partOf("Project"),
		"Run": required(object{"id": opaque, "project": opaque, "state": word("queued", "running", "stopping", "done", "failed", "interrupted"),
			"created": moment, "started": orNull(moment), "finished": orNull(moment), "interrupted_by": object{"enum": []any{"stop", "shutdown", nil}},
			"exit_status": object{"enum": []any{0, 1, 3, nil}}, "error": text, "progress": ref("Progress"), "summary": orNull(object{"type": "object"}),
			"kind": word("full", "failing"), "issues": orNull(required(object{"broken": whole, "unverified": whole, "warnings": whole})), "known": orNull(whole),
			"sound": orNull(yesNo), "unsound_because": orNull(word(api.UnsoundReasons...))}, "error"),
		"RunList":  partOf("Run"),
		"RunInput": required(object{"only": word(api.Failing)}, "only"),
		"Progress": required(object{"pages": whole, "queued": whole, "checked": whole, "requests": whole, "broken": whole,
			"elapsed_ms": whole, "rate": object{"type": "number"}, "remaining_ms": orNull(whole)}),
		"Finding":     required(finding),
		"FindingList": partOf("Finding"),
		"Issue":       required(issue),
		"IssueList":   partOf("Issue"),
		"IssueDetail": required(detail),
		"IssueChange": required(object{"owner": orNull(text)}),
		"Comment":     required(object{"id": opaque, "by": text, "created": moment, "text": text}),
		"CommentList": partOf("Comment"), "CommentInput": required(object{"text": text}),
		"View":     required(object{"id": opaque, "name": text, "query": text}),
		"ViewList": partOf("View"), "ViewInput": required(object{"name": text, "query": text}),
		"PastVerdict": required(object{"run": opaque, "started": orNull(moment), "verdict": text, "code": text}),
		"Page":        required(object{"url": text, "title": text, "status": whole, "depth": whole, "links_in": whole, "links_out": whole, "size": whole, "elapsed_ms": whole, "findings": whole, "content_type": text}),
		"Figures": required(object{"status": countsOf(whole), "depth": countsOf(whole), "content_type": countsOf(text),
			"elapsed": listOf(required(object{"upto_ms": orNull(whole), "count": whole}))}),
		"PageList": partOf("Page"),
		"Mark": required(object{"fingerprint": opaque, "as": word("known", "false-alarm"), "reason": text, "until": orNull(moment), "by": text, "created": moment, "version": whole,
			"changed": orNull(moment), "changed_by": orNull(text)}),
		"MarkInput":  required(mark, "until"),
		"MarksInput": required(marks, "as", "reason", "until", "filter", "fingerprints", "remove"),
		"Changed":    required(object{"changed": whole}),
		"MarkList":   partOf("Mark"),
		"Comparison": required(object{"new": listOf(ref("Finding")), "fixed": listOf(ref("Finding")), "still": listOf(ref("Finding")),
			"totals": required(object{"new": whole, "fixed": whole, "still": whole}), "truncated": yesNo}),
		"ComparisonOrList": object{"anyOf": []object{ref("Comparison"), ref("FindingList")}},
		"RecheckInput":     required(object{"url": text, "urls": listOf(text)}, "url", "urls"),
		"Recheck":          required(object{"url": text, "before": outcome, "after": outcome}, "url"),
		"RecheckOrList":    object{"anyOf": []object{ref("Recheck"), required(object{"items": listOf(ref("Recheck"))})}},
		"Link": required(object{"id": opaque, "for": word(service.Purposes...), "token": opaque, "url": text, "expires": orNull(moment), "created": moment},
			"token", "url"),
		"LinkInput": required(object{"for": word(service.Purposes...), "expires": orNull(text)}, "expires"),
		"LinkList":  partOf("Link"),
		"Delivery":  required(object{"delivered": yesNo, "status": orNull(whole), "error": orNull(text)}),
		"FindingDetail": object{"type": "object", "required": []string{"id", "fingerprint", "known", "first_seen", "history", "url", "verdict", "code", "references"},
			"properties": object{"id": opaque, "fingerprint": opaque, "known": orNull(ref("Mark")), "first_seen": orNull(moment), "history": listOf(ref("PastVerdict")),
				"url": text, "verdict": text, "code": text, "message": text, "references": listOf(object{"type": "object"})}},
	}
}
