package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// life is how far the conversation is. Only the goroutine that reads messages changes it.
type life struct {
	initialized, shut bool
	end               context.CancelFunc
}

// accepts reports whether notifications count.
func (l *life) accepts() bool { return l.initialized && !l.shut }

// refuses returns why a request is not answered, nil if it is.
func (l *life) refuses(method string) *rpcError {
	switch {
	case l.shut:
		return errorf(codeInvalidRequest, "the server was shut down")
	case method == "initialize" && l.initialized:
		return errorf(codeInvalidRequest, "initialize comes once")
	case method != "initialize" && !l.initialized:
		return errorf(codeNotInitialized, "initialize comes first")
	}
	return nil
}

// status returns nil if the conversation ended as it should.
func (l *life) status() error {
	if l.shut {
		return nil
	}
	return errBroken
}

// parentPause is the time between two looks at the process of the editor, where it cannot be waited for.
const parentPause = 3 * time.Second

// initializeParams are what an editor says of itself.
type initializeParams struct {
	ProcessID             *int               `json:"processId"`
	RootPath              *string            `json:"rootPath"`
	RootURI               *string            `json:"rootUri"`
	WorkspaceFolders      []workspaceFolder  `json:"workspaceFolders"`
	Capabilities          clientCapabilities `json:"capabilities"`
	InitializationOptions json.RawMessage    `json:"initializationOptions"`
}

// clientCapabilities are what is used of an editor.
type clientCapabilities struct {
	General struct {
		PositionEncodings []encoding `json:"positionEncodings"`
	} `json:"general"`
	TextDocument struct {
		Diagnostic *struct{} `json:"diagnostic"`
		Hover      struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
		CodeLens   *struct{} `json:"codeLens"`
		CodeAction struct {
			ResolveSupport struct {
				Properties []string `json:"properties"`
			} `json:"resolveSupport"`
		} `json:"codeAction"`
		Rename struct {
			PrepareSupport bool `json:"prepareSupport"`
		} `json:"rename"`
	} `json:"textDocument"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
	} `json:"window"`
	Workspace struct {
		WorkspaceEdit struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
			SnippetEditSupport bool     `json:"snippetEditSupport"`
		} `json:"workspaceEdit"`
		FileOperations struct {
			WillRename bool `json:"willRename"`
			DidRename  bool `json:"didRename"`
		} `json:"fileOperations"`
		WorkspaceFolders bool `json:"workspaceFolders"`
		Configuration    bool `json:"configuration"`
		Diagnostics      struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"diagnostics"`
		DidChangeWatchedFiles struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeWatchedFiles"`
		DidChangeConfiguration struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeConfiguration"`
	} `json:"workspace"`
}

// encoding returns the first position encoding of the editor that is known.
func (c clientCapabilities) encoding() encoding {
	for _, e := range c.General.PositionEncodings {
		if slices.Contains([]encoding{utf8Units, utf16Units, utf32Units}, e) {
			return e
		}
	}
	return utf16Units
}

// pulls reports whether the editor asks for diagnostics.
func (c clientCapabilities) pulls() bool { return c.TextDocument.Diagnostic != nil }

// resolvesEdits reports whether the editor asks for the edit of an action when it needs it.
func (c clientCapabilities) resolvesEdits() bool {
	return slices.Contains(c.TextDocument.CodeAction.ResolveSupport.Properties, "edit")
}

// initialize answers what the server can do.
func initialize(ctx context.Context, s *Server, p *initializeParams) (any, error) {
	s.life.initialized = true
	s.client.declare(p.Capabilities)
	s.texts.encoding = p.Capabilities.encoding()
	s.folders.settings = readSettings(s, p.InitializationOptions)
	s.folders.add(p.folders()...)
	if p.ProcessID != nil {
		s.background(func() { watchParent(ctx, *p.ProcessID, s.life.end) })
	}
	return map[string]any{"capabilities": p.Capabilities.answer(), "serverInfo": map[string]any{"name": "orbweaver", "version": s.config.Version}}, nil
}

// answer returns what the server can do for the editor. What the editor must declare is there only if it did.
func (c clientCapabilities) answer() map[string]any {
	can := map[string]any{
		"positionEncoding":       c.encoding(),
		"textDocumentSync":       map[string]any{"openClose": true, "change": 2, "save": map[string]any{"includeText": false}},
		"completionProvider":     map[string]any{"triggerCharacters": []string{"/", "#", "(", "<", ":", "[", "\"", "'"}},
		"documentLinkProvider":   map[string]any{},
		"executeCommandProvider": map[string]any{"commands": []string{refreshCommand}},
		"renameProvider":         true,
	}
	for _, name := range []string{"hoverProvider", "definitionProvider", "referencesProvider", "documentSymbolProvider", "workspaceSymbolProvider"} {
		can[name] = true
	}
	inWorkspace, moves := map[string]any{}, map[string]any{}
	if c.Workspace.WorkspaceFolders {
		inWorkspace["workspaceFolders"] = map[string]any{"supported": true, "changeNotifications": true}
	}
	all := map[string]any{"filters": []map[string]any{{"scheme": "file", "pattern": map[string]any{"glob": "**/*"}}}}
	if c.Workspace.FileOperations.WillRename {
		moves["willRename"] = all
	}
	if c.Workspace.FileOperations.DidRename {
		moves["didRename"] = all
	}
	if len(moves) > 0 {
		inWorkspace["fileOperations"] = moves
	}
	if len(inWorkspace) > 0 {
		can["workspace"] = inWorkspace
	}
	actions := map[string]any{"codeActionKinds": []string{quickFix, fixAll}}
	if c.resolvesEdits() {
		actions["resolveProvider"] = true
	}
	can["codeActionProvider"] = actions
	if c.TextDocument.Rename.PrepareSupport {
		can["renameProvider"] = map[string]any{"prepareProvider": true}
	}
	if c.TextDocument.CodeLens != nil {
		can["codeLensProvider"] = map[string]any{}
	}
	if c.pulls() {
		can["diagnosticProvider"] = map[string]any{"identifier": "orbweaver", "interFileDependencies": true, "workspaceDiagnostics": true}
	}
	return can
}

func (p *initializeParams) folders() []workspaceFolder {
	switch {
	case p.WorkspaceFolders != nil:
		return p.WorkspaceFolders
	case p.RootURI != nil:
		return []workspaceFolder{{URI: *p.RootURI}}
	case p.RootPath != nil && *p.RootPath != "":
		return []workspaceFolder{{URI: uriOfPath(*p.RootPath)}}
	}
	return nil
}

// readSettings returns the settings of an editor. Wrong ones are shown, and do not count.
func readSettings(s *Server, given json.RawMessage) map[string]any {
	var settings map[string]any
	if len(given) == 0 || string(given) == "null" {
		return nil
	}
	err := json.Unmarshal(given, &settings)
	if err != nil {
		err = errors.New("the settings are not an object")
	} else {
		err = s.engine.CheckSettings(settings)
	}
	if err != nil {
		s.client.show(typeError, err.Error())
		return nil
	}
	return settings
}

// initialized asks for what the editor allows.
func initialized(ctx context.Context, s *Server, _ *struct{}) error {
	can := s.client.capabilities()
	var registrations []map[string]any
	register := func(method string, options any) {
		registrations = append(registrations, map[string]any{"id": method, "method": method, "registerOptions": options})
	}
	if can.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		register("workspace/didChangeWatchedFiles", map[string]any{"watchers": []map[string]any{{"globPattern": "**/*"}}})
	}
	if can.Workspace.DidChangeConfiguration.DynamicRegistration {
		register("workspace/didChangeConfiguration", map[string]any{"section": "orbweaver"})
	}
	if registrations != nil {
		s.client.ask("client/registerCapability", map[string]any{"registrations": registrations}, nil)
	}
	askSettings(s)
	for _, o := range s.folders.list() {
		s.watch(ctx, o.dir)
	}
	s.judging.rouse()
	return nil
}

// watch watches a folder, unless the editor does. The folder is judged when it is watched, so that no change is
// missed.
func (s *Server) watch(ctx context.Context, dir string) {
	if s.client.capabilities().Workspace.DidChangeWatchedFiles.DynamicRegistration {
		return
	}
	hold(s.folders, dir, true)
	begun := func() {
		hold(s.folders, dir, false)
		s.judging.rouse()
	}
	s.background(func() {
		defer begun()
		err := s.engine.Watch(ctx, dir, begun, func(files []string) {
			files = slices.DeleteFunc(files, func(file string) bool {
				return s.folders.isOpen(file) && exists(file) && !isRules(file) // what is open counts, whatever is saved
			})
			s.folders.filesChanged(files)
			s.judging.rouse()
		})
		if err != nil {
			s.client.log(dir + ": changes of files are not seen: " + err.Error())
		}
	})
}

// askSettings asks for the settings of the editor, if it has them.
func askSettings(s *Server) {
	if !s.client.capabilities().Workspace.Configuration {
		return
	}
	s.client.ask("workspace/configuration", map[string]any{"items": []map[string]any{{"section": "orbweaver"}}}, func(m *message) {
		var sections []json.RawMessage
		if json.Unmarshal(m.result, &sections) != nil || len(sections) != 1 || string(sections[0]) == "null" {
			return
		}
		s.folders.configure(readSettings(s, sections[0]))
		s.judging.rouse()
	})
}

type changedConfiguration struct {
	Settings struct {
		Orbweaver json.RawMessage `json:"orbweaver"`
	} `json:"settings"`
}

func didChangeConfiguration(_ context.Context, s *Server, p *changedConfiguration) error {
	if len(p.Settings.Orbweaver) > 0 {
		s.folders.configure(readSettings(s, p.Settings.Orbweaver))
		s.judging.rouse()
		return nil
	}
	askSettings(s)
	return nil
}

func shutdown(_ context.Context, s *Server, _ *struct{}) (any, error) {
	s.life.shut = true
	return nil, nil
}

type cancelParams struct {
	ID json.RawMessage `json:"id"`
}

func cancelRequest(_ context.Context, s *Server, p *cancelParams) error {
	s.calls.cancel(string(p.ID))
	return nil
}

// watchParent calls end when the process of the editor is gone.
func watchParent(ctx context.Context, process int, end func()) {
	if awaitEnd(ctx, process) == nil {
		end()
		return
	}
	tick := time.NewTicker(parentPause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !isRunning(process) {
			end()
			return
		}
	}
}

func isRunning(process int) bool {
	p, err := os.FindProcess(process)
	if err != nil {
		return false
	}
	defer p.Release()
	if runtime.GOOS == "windows" {
		return true // it was found
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
