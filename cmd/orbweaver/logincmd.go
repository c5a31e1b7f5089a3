package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/report"
)

func newLoginCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "login test|save",
		Short: "sign in with a form, and check nothing",
		Long:  "test signs in and prints each step; save also writes the cookies. Both take the flags of check; `orbweaver help login` explains them.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usageError("login: use `orbweaver login test` or `orbweaver login save -o FILE`")
		},
	}
	cmd.AddCommand(
		newLoginSubcommand("test", "sign in, print each step, and check nothing",
			`orbweaver login test https://example.com/ --login https://example.com/login --login-user alice`),
		newLoginSubcommand("save", "sign in, and write the cookies to a file for --cookies",
			`orbweaver login save -o cookies.txt --login https://example.com/login --login-user alice`),
	)
	return cmd
}

func newLoginSubcommand(name, short, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     name + " [TARGET] [flags]",
		Short:   short,
		Long:    "The last line of the output is \"signed in\" with the page that proves it, or begins with a code. Exit status: 0 proven, 1 login-unproven, 2 wrong usage, 3 the sign-in failed. Without TARGET and --login-check, the page that the sign-in led to is asked with and without the cookies.",
		Example: example,
		Args:    cobra.ArbitraryArgs,
	}
	s := addFlags(cmd, option.Check)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		file, err := cookieFile(name, s)
		if err != nil {
			return err
		}
		if err := loadSettings(s); err != nil {
			return err
		}
		s.Set("output", "") // those of a configuration are for reports
		o, err := compile(s, option.Check)
		if err != nil {
			return usageError("%w", err)
		}
		if len(o.login.configs) == 0 {
			return usageError("login %s: give --login URL, or a [[login]] in the configuration file", name)
		}
		return testLogins(cmd, o, args, file)
	}
	return cmd
}

// cookieFile takes the file of login save from the settings.
func cookieFile(name string, s *settings) (string, error) {
	switch {
	case name == "test" && len(s.List("output")) > 0:
		return "", usageError("login test: it writes no file: use login save -o FILE")
	case name == "save" && (len(s.List("output")) != 1 || s.List("output")[0] == "" || s.List("output")[0] == "-"):
		return "", usageError("login save: name the file for the cookies with -o FILE")
	case name == "save":
		return s.List("output")[0], nil
	}
	return "", nil
}

// testLogins signs in to each login, and writes the cookies if file is not empty.
func testLogins(cmd *cobra.Command, o *options, args []string, file string) error {
	console := newConsole(cmd.ErrOrStderr(), "never")
	reader := &targetReader{stdin: cmd.InOrStdin(), note: console.notef, commands: commandNames(cmd.Root())}
	plan, err := planRun(cmd.Context(), o, args, reader)
	if err != nil {
		return err
	}
	defer plan.close()
	logins, err := planLogins(o, plan, cmd.InOrStdin(), console, len(plan.targets) == 0)
	if err != nil {
		return err
	}
	web, err := fetch.NewHTTP(o.net)
	if err != nil {
		return usageError("%w", err)
	}
	defer web.Close()
	browser, closeBrowser, err := openLoginBrowser(cmd.Context(), o, nil)
	if err != nil {
		return err
	}
	defer closeBrowser()
	out := &loginOutput{out: cmd.OutOrStdout()}
	sending := &crawler.Login{Fetch: web, Browser: browser}
	for _, login := range logins.Logins {
		if err := out.test(cmd.Context(), sending, login); err != nil {
			return unsound(err)
		}
	}
	if file != "" && out.status != report.ExitUnsound {
		if err := writeCookies(web, file); err != nil {
			return unsound(err)
		}
	}
	if err := out.end(); err != nil {
		return unsound(fmt.Errorf("write standard output: %w", withoutPath(err)))
	}
	if out.status != exitOK {
		return &exitError{code: out.status}
	}
	return nil
}

// loginOutput prints the steps of sign-ins.
type loginOutput struct {
	out    io.Writer
	status int
	last   string // the line about the worst login
	err    error
}

func (l *loginOutput) printf(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintln(l.out, printable(fmt.Sprintf(format, args...)))
	}
}

// test signs in. The error is that of the context.
func (l *loginOutput) test(ctx context.Context, sending *crawler.Login, login *session.Login) error {
	l.printf("%s: %s", login.Given.Name, login.URL.Printed())
	signedIn, err := crawler.SignIn(ctx, sending, login, notes(func(format string, args ...any) { l.printf("  "+format, args...) }))
	failure, failed := errors.AsType[*session.Failure](err)
	switch {
	case failed:
		l.conclude(report.ExitUnsound, string(failure.Code)+": "+failure.Message)
	case err != nil:
		return err
	case signedIn.Doubt != "":
		l.conclude(report.ExitFindings, string(check.CodeLoginUnproven)+": "+signedIn.Doubt)
	default:
		l.conclude(exitOK, "signed in: "+signedIn.Page.Printed()+" shows it")
	}
	for _, address := range signedIn.LeftAlone {
		l.printf("  left alone: %s", address)
	}
	return nil
}

// conclude keeps the line about the worst login, which is printed last.
func (l *loginOutput) conclude(status int, line string) {
	if l.last == "" || status > l.status {
		l.last, line = line, l.last
		l.status = status
	}
	if line != "" {
		l.printf("  %s", line)
	}
}

func (l *loginOutput) end() error {
	l.printf("%s", l.last)
	return l.err
}

// writeCookies replaces a file, which only its owner can read, in one step.
func writeCookies(web *fetch.HTTP, file string) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".cookies-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", file, withoutPath(err))
	}
	err = errors.Join(web.WriteCookies(f), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", file, withoutPath(err))
	}
	return nil
}
