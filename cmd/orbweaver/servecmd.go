package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/filelock"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

type serveFlags struct {
	listen, data, publicURL, auth, maxRuns, retain, smtp     string
	evidenceMax                                              string
	smtpPasswordFile                                         string
	oidc                                                     oidcFlags
	proxy                                                    proxyFlags
	hosts, trustProxy, allowPrivate, allowScheme, filesBelow []string
	readOnly                                                 bool
}

func newServeCommand() *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "run the web interface: projects, runs, findings and an API",
		Long: "Serves pages and a JSON API (api/v1/openapi.json) for projects that are checked again and again. Each run is a --state directory, DATA/runs/ID, so report and compare work on it. " +
			"Without any user, the first start on a loopback address prints an address at which the first administrator signs up. Runs reach no private address that --allow-private does not name. " +
			"SIGTERM suspends runs; they are resumed at the next start.",
		Example: `orbweaver serve
orbweaver serve --data /var/lib/orbweaver --public-url https://example.com/links/ --trust-proxy 127.0.0.1
orbweaver serve user add alice --role admin
orbweaver serve token create ci --role editor --expires 90d`,
		Args: noArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8420", "`ADDRESS:PORT` to listen on; port 0 is any free port")
	dataFlag(cmd, &f.data)
	flags.StringVar(&f.publicURL, "public-url", "", "external `URL` of the server behind a proxy, with its path, such as https://example.com/links/")
	flags.StringVar(&f.auth, "auth", string(serve.Passwords), "`MODE` of signing in: password (accounts and tokens), token (tokens alone), oidc (--oidc and tokens), or none (everybody is an administrator)")
	f.oidc.add(flags)
	f.proxy.add(flags)
	flags.StringArrayVar(&f.hosts, "host", nil, "`NAME` of a host that requests may be for, besides loopback names and that of --public-url (repeatable)")
	flags.StringArrayVar(&f.trustProxy, "trust-proxy", nil, "`CIDR` of proxies whose X-Forwarded-For and X-Forwarded-Prefix count (repeatable)")
	flags.StringArrayVar(&f.allowPrivate, "allow-private", nil, "`CIDR` of private addresses that runs may reach (repeatable)")
	flags.StringArrayVar(&f.allowScheme, "allow-scheme", nil, "`SCHEME` other than http and https that runs may request, such as ftp or mailto (repeatable)")
	flags.StringArrayVar(&f.filesBelow, "files", nil, "`DIR` below which files and directories may be targets (repeatable)")
	flags.StringVar(&f.maxRuns, "max-runs", "2", "number of runs `N` at a time, over all projects")
	flags.StringVar(&f.retain, "retain", "", "`AGE,COUNT` of the runs that are kept of each project, such as 90d,200; the last sound run is always kept")
	flags.StringVar(&f.evidenceMax, "evidence-max", "256MiB", "maximum `SIZE` of what a run keeps whose project has the option evidence-of")
	flags.StringVar(&f.smtp, "smtp", "", "`URL` of the server that sends mail: smtp://[USER@]HOST:PORT[?from=ADDRESS], or smtps")
	flags.StringVar(&f.smtpPasswordFile, "smtp-password-file", "", "`FILE` with the password of USER in --smtp")
	flags.BoolVar(&f.readOnly, "read-only", false, "change nothing: no runs, no schedules, no new data")
	cmd.SetFlagErrorFunc(flagError)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runServe(cmd, f) }
	cmd.AddCommand(newServeUserCommand(), newServeTokenCommand(), newServeBackupCommand(), newServeRestoreCommand(), newServeExportCommand(), newServeImportCommand())
	return cmd
}

func dataFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data", "", "`DIR` of the data; the default is $XDG_DATA_HOME/orbweaver, else ~/.local/share/orbweaver")
	cmd.SetFlagErrorFunc(flagError)
}

// dataDir returns the absolute name of the data directory.
func dataDir(given string) (string, error) {
	if given == "" {
		base := os.Getenv("XDG_DATA_HOME")
		if !filepath.IsAbs(base) {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", usageError("--data: no directory is given, and there is no home directory: %w", err)
			}
			base = filepath.Join(home, ".local", "share")
		}
		given = filepath.Join(base, "orbweaver")
	}
	dir, err := filepath.Abs(given)
	if err != nil {
		return "", usageError("--data: %w", err)
	}
	return dir, nil
}

func (f *serveFlags) compile() (serve.Settings, *serveEngine, error) {
	s := serve.Settings{Listen: f.listen, Hosts: f.hosts, ReadOnly: f.readOnly, Mode: serve.Mode(f.auth), Version: version()}
	engine := &serveEngine{}
	var faults flagFaults
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		faults.refuse("listen", f.listen, errors.New("use ADDRESS:PORT, such as 127.0.0.1:8420"))
	}
	if !slices.Contains(serve.Modes, f.auth) {
		faults.refuse("auth", f.auth, oneOf(f.auth, serve.Modes))
	}
	var err error
	s.PublicURL, err = parsePublicURL(f.publicURL)
	faults.refuse("public-url", f.publicURL, err)
	s.MaxRuns, err = parseCount(f.maxRuns, 1)
	faults.refuse("max-runs", f.maxRuns, err)
	if f.retain != "" {
		s.Retain, err = runs.ParseRetention(f.retain, quantity.ParseDuration)
		faults.refuse("retain", f.retain, err)
	}
	engine.evidenceMax, err = quantity.ParseSize(f.evidenceMax)
	faults.refuse("evidence-max", f.evidenceMax, err)
	s.TrustProxy = faults.networks("trust-proxy", f.trustProxy)
	s.SSO, err = f.oidc.compile(s.Mode)
	faults.add(err)
	s.Proxy, err = f.proxy.compile()
	faults.add(err)
	engine.allowPrivate = faults.networks("allow-private", f.allowPrivate)
	s.Policy = fetch.AddressPolicy{DenyPrivate: true, AllowPrivate: engine.allowPrivate}
	s.Mail, err = f.mailer(s.PublicURL)
	faults.add(err)
	for _, scheme := range f.allowScheme {
		name := strings.ToLower(scheme)
		if !slices.Contains(openableSchemes, name) {
			faults.refuse("allow-scheme", scheme, oneOf(name, openableSchemes))
		}
		engine.allowSchemes = append(engine.allowSchemes, name)
	}
	return s, engine, faults.join()
}

// mailer returns what sends mail, nil without --smtp. The address is in no message, because it
// may contain a password.
func (f *serveFlags) mailer(public *url.URL) (*notify.Mailer, error) {
	if f.smtp == "" {
		if f.smtpPasswordFile != "" {
			return nil, errors.New("--smtp-password-file: it needs --smtp")
		}
		return nil, nil
	}
	password := ""
	if f.smtpPasswordFile != "" {
		var err error
		if password, err = readSecret("smtp-password-file", f.smtpPasswordFile); err != nil {
			return nil, err
		}
	}
	host := ""
	if public != nil {
		host = public.Hostname()
	} else if name, err := os.Hostname(); err == nil {
		host = name
	}
	m, err := notify.NewMailer(f.smtp, password, host)
	if err != nil {
		return nil, fmt.Errorf("--smtp: %w", err)
	}
	return m, nil
}

// readSecret reads the secret in the file of a flag. One final line end is dropped.
func readSecret(flag, name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("--%s: read %s: %w", flag, name, withoutPath(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxPassword))
	if err != nil {
		return "", fmt.Errorf("--%s: read %s: %w", flag, name, withoutPath(err))
	}
	return withoutLineEnd(string(text)), nil
}

// openableSchemes are the schemes that --allow-scheme can open.
var openableSchemes = []string{"dict", "dns", "finger", "ftp", "ftps", "gopher", "ldap", "ldaps", "mailto", "news", "nntp", "snews", "telnet", "ws", "wss"}

// parsePublicURL reads the external address of the server; nil for none.
func parsePublicURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	wrong := errors.New("use an absolute http or https URL without a query or fragment, such as https://example.com/links/")
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(text, "#") {
		return nil, wrong
	}
	if !serve.IsPrefix(strings.TrimRight(u.EscapedPath(), "/")) {
		return nil, errors.New("its path may contain letters, digits, -, ., _ and ~ between slashes")
	}
	u.Host = strings.ToLower(u.Host) // as browsers write it in the field Origin
	if u.Port() == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	return u, nil
}

func runServe(cmd *cobra.Command, f *serveFlags) error {
	console := newConsole(cmd.ErrOrStderr(), "never")
	s, engine, err := f.compile()
	if err != nil {
		return usageError("%w", err)
	}
	if s.Data, err = dataDir(f.data); err != nil {
		return err
	}
	if err := engine.open(f.filesBelow, console.notef); err != nil {
		return err
	}
	if err := serve.OpenData(s.Data, console.notef); err != nil {
		return usageError("%w", err)
	}
	lock, err := filelock.Take(serve.LockFile(s.Data))
	if err != nil {
		return usageError("--data %s: %w", s.Data, err)
	}
	defer lock.Release()
	defer limitGarbage()()
	stop := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		if _, ok := <-signals; ok {
			signal.Reset(os.Interrupt, syscall.SIGTERM) // the next one ends the process
			close(stop)
		}
	}()
	if err := serve.Run(context.WithoutCancel(cmd.Context()), s, engine, serve.Streams{Out: cmd.OutOrStdout(), Err: cmd.ErrOrStderr()}, stop); err != nil {
		return usageError("%w", err)
	}
	return nil
}

// withAccounts calls fn with the accounts of a data directory, which is created if necessary, and notes
// in its audit log that fn did an action, unless that is "". fn may add to the changes.
func withAccounts(cmd *cobra.Command, data string, action, subject string, changes audit.Changes, fn func(*auth.Store) error) error {
	dir, err := dataDir(data)
	if err != nil {
		return err
	}
	note := newConsole(cmd.ErrOrStderr(), "never").notef
	if err := serve.OpenData(dir, note); err != nil {
		return usageError("%w", err)
	}
	accounts, log, closeAccounts, err := serve.OpenAccounts(dir, note)
	if err != nil {
		return usageError("%w", err)
	}
	defer closeAccounts()
	if err := fn(accounts); err != nil {
		return usageError("%w", err)
	}
	if action != "" {
		log.Note(audit.With(cmd.Context(), audit.Command), action, "", subject, changes)
	}
	return nil
}

// needsCommand returns what a command without an action does.
func needsCommand(name, usage string) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError("%s: unknown command %q: use %s", name, args[0], usage)
		}
		return usageError("%s: use %s", name, usage)
	}
}

func newServeUserCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "user add|list|passwd|role|remove", Short: "manage the accounts of a server", RunE: needsCommand("serve user", "add NAME, list, passwd NAME, role NAME ROLE or remove NAME")}
	var data, role, file string
	add := &cobra.Command{Use: "add NAME [--role ROLE] [--password-file FILE]", Short: "add an account; the password is read from a terminal or a file", Args: cobra.ExactArgs(1)}
	dataFlag(add, &data)
	add.Flags().StringVar(&role, "role", auth.Viewer.String(), "`ROLE`: admin, editor or viewer")
	add.Flags().StringVar(&file, "password-file", "", "`FILE` with the password; - reads standard input")
	add.RunE = func(cmd *cobra.Command, args []string) error {
		parsed, err := auth.ParseRole(role)
		if err != nil {
			return usageError("--role: %w", err)
		}
		if err := auth.CheckName(args[0]); err != nil {
			return usageError("%w", err)
		}
		password, err := readNewPassword(cmd, file)
		if err != nil {
			return err
		}
		return withAccounts(cmd, data, "user.add", args[0], audit.Changes{"role": {nil, parsed.String()}}, func(a *auth.Store) error { return a.AddUser(cmd.Context(), args[0], password, parsed) })
	}
	list := &cobra.Command{Use: "list", Short: "list the accounts: name, role", Args: noArguments}
	dataFlag(list, &data)
	list.RunE = func(cmd *cobra.Command, _ []string) error {
		return withAccounts(cmd, data, "", "", nil, func(a *auth.Store) error {
			users, err := a.Users(cmd.Context())
			for _, u := range users {
				fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\n", u.Name, u.Role)
			}
			return err
		})
	}
	remove := &cobra.Command{Use: "remove NAME", Short: "remove an account and end its sessions", Args: cobra.ExactArgs(1)}
	dataFlag(remove, &data)
	remove.RunE = func(cmd *cobra.Command, args []string) error {
		return withAccounts(cmd, data, "user.remove", args[0], nil, func(a *auth.Store) error { return a.RemoveUser(cmd.Context(), args[0], true) })
	}
	passwd := &cobra.Command{Use: "passwd NAME [--password-file FILE]", Short: "change the password of an account and end its sessions", Args: cobra.ExactArgs(1)}
	dataFlag(passwd, &data)
	passwd.Flags().StringVar(&file, "password-file", "", "`FILE` with the password; - reads standard input")
	passwd.RunE = func(cmd *cobra.Command, args []string) error {
		password, err := readNewPassword(cmd, file)
		if err != nil {
			return err
		}
		return withAccounts(cmd, data, "user.change", args[0], audit.Changes{"password": {"***", "***"}}, func(a *auth.Store) error {
			return a.ChangeUser(cmd.Context(), args[0], auth.Change{Password: &password, ByToken: true})
		})
	}
	newRole := &cobra.Command{Use: "role NAME ROLE", Short: "change the role of an account: admin, editor or viewer", Args: cobra.ExactArgs(2)}
	dataFlag(newRole, &data)
	newRole.RunE = func(cmd *cobra.Command, args []string) error {
		parsed, err := auth.ParseRole(args[1])
		if err != nil {
			return usageError("%w", err)
		}
		changes := audit.Changes{}
		return withAccounts(cmd, data, "user.change", args[0], changes, func(a *auth.Store) error {
			u, err := a.User(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			changes["role"] = [2]any{u.Role.String(), parsed.String()}
			return a.ChangeUser(cmd.Context(), args[0], auth.Change{Role: &parsed, ByToken: true})
		})
	}
	cmd.AddCommand(add, list, passwd, newRole, remove)
	return cmd
}

func newServeTokenCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "token create|list|remove", Short: "manage the tokens of a server", RunE: needsCommand("serve token", "create NAME, list or remove NAME")}
	var data, role, expires string
	create := &cobra.Command{Use: "create NAME [--role ROLE] [--expires TIME]", Short: "make a token and print it, once", Args: cobra.ExactArgs(1)}
	dataFlag(create, &data)
	create.Flags().StringVar(&role, "role", auth.Viewer.String(), "`ROLE`: admin, editor or viewer")
	create.Flags().StringVar(&expires, "expires", "", "`TIME` after which the token expires, such as 90d; never by default")
	create.RunE = func(cmd *cobra.Command, args []string) error {
		parsed, err := auth.ParseRole(role)
		if err != nil {
			return usageError("--role: %w", err)
		}
		var until time.Time
		if expires != "" {
			after, err := quantity.ParseDuration(expires)
			if err != nil || after == 0 {
				return usageError("--expires: %q is not allowed: use a time such as 90d, 12h or 2s", expires)
			}
			until = time.Now().Add(after)
		}
		return withAccounts(cmd, data, "token.add", args[0], audit.Changes{"role": {nil, parsed.String()}}, func(a *auth.Store) error {
			token, err := a.CreateToken(cmd.Context(), auth.Token{Name: args[0], Role: parsed, Expires: until})
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), token)
			}
			return err
		})
	}
	list := &cobra.Command{Use: "list", Short: "list the tokens: name, role, expiry", Args: noArguments}
	dataFlag(list, &data)
	list.RunE = func(cmd *cobra.Command, _ []string) error {
		return withAccounts(cmd, data, "", "", nil, func(a *auth.Store) error {
			tokens, err := a.Tokens(cmd.Context())
			for _, t := range tokens {
				until := "never"
				if !t.Expires.IsZero() {
					until = t.Expires.UTC().Format(time.RFC3339)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\t%s\n", t.Name, t.Role, until)
			}
			return err
		})
	}
	remove := &cobra.Command{Use: "remove NAME", Short: "revoke a token and end its sessions", Args: cobra.ExactArgs(1)}
	dataFlag(remove, &data)
	remove.RunE = func(cmd *cobra.Command, args []string) error {
		return withAccounts(cmd, data, "token.remove", args[0], nil, func(a *auth.Store) error { return a.RemoveToken(cmd.Context(), args[0]) })
	}
	cmd.AddCommand(create, list, remove)
	return cmd
}

// readNewPassword reads a password from a file or standard input, or asks for it twice on a
// terminal. One final line end is dropped.
func readNewPassword(cmd *cobra.Command, file string) (string, error) {
	if file == "" {
		return askNewPassword(cmd)
	}
	var in io.Reader = cmd.InOrStdin()
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", usageError("--password-file: read %s: %w", file, withoutPath(err))
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPassword))
	if err != nil {
		return "", usageError("--password-file: read %s: %w", file, withoutPath(err))
	}
	password := withoutLineEnd(string(text))
	if err := auth.CheckPassword(password); err != nil {
		return "", usageError("--password-file: %w", err)
	}
	return password, nil
}

// askNewPassword asks for a password twice, without showing it.
func askNewPassword(cmd *cobra.Command) (string, error) {
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return "", usageError("there is no terminal to ask for the password: give --password-file FILE, or - for standard input")
	}
	ask := func(prompt string) (string, error) {
		fmt.Fprint(cmd.ErrOrStderr(), prompt)
		defer fmt.Fprintln(cmd.ErrOrStderr())
		text, err := term.ReadPassword(int(in.Fd()))
		return string(text), err
	}
	first, err := ask("Password: ")
	again := ""
	if err == nil {
		again, err = ask("Again: ")
	}
	switch {
	case err != nil:
		return "", usageError("read the password: %w", err)
	case first != again:
		return "", usageError("the passwords differ")
	}
	if err := auth.CheckPassword(first); err != nil {
		return "", usageError("%w", err)
	}
	return first, nil
}
