package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Profiles of package urinorm: strict RFC 3986, and the behavior of browsers.
const (
	profileRFC = "rfc"
	profileWeb = "web"
)

// exitDifferent is the exit status of uri compare for URIs that are not known to be
// equivalent.
const exitDifferent = 1

// newURICommand makes the operations of package urinorm available as commands.
func newURICommand() *cobra.Command {
	cmd := &cobra.Command{
		SuggestionsMinimumDistance: 2,

		Use:   "uri COMMAND",
		Short: "resolve, normalize and compare URIs",
		Long:  "Works on URIs alone; nothing is fetched. The profile rfc follows RFC 3986 strictly and rejects what its grammar does not allow; the profile web reads references as browsers do, and repairs them as they do.",
		RunE: func(cmd *cobra.Command, args []string) error {
			const commands = "name a command: resolve, normalize, compare or batch"
			if len(args) == 0 {
				return usageError("uri: %s", commands)
			}
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				return usageError("uri: unknown command %q: did you mean %s? %s", args[0], near[0], commands)
			}
			return usageError("uri: unknown command %q; %s", args[0], commands)
		},
	}
	cmd.AddCommand(newURIResolveCommand(), newURINormalizeCommand(), newURICompareCommand(), newURIBatchCommand())
	return cmd
}

func profileFlag(cmd *cobra.Command) *string {
	profile := cmd.Flags().String("profile", profileRFC, "`rfc` follows RFC 3986 strictly, web does what browsers do")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *profile != profileRFC && *profile != profileWeb {
			return usageError("--profile: %q is not allowed: use %s or %s", *profile, profileRFC, profileWeb)
		}
		return nil
	}
	return profile
}

func newURIResolveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resolve -b BASE REF...",
		Short: "resolve references against a base (RFC 3986 section 5)",
		Long:  "Prints the target URI of each reference, one per line. Write -- before references that begin with '-'. In the web profile, absolute references need no base.",
		Example: `orbweaver uri resolve -b http://a/b/c/d?q ../g '#s'
orbweaver uri resolve --profile web -b https://example.com/ 'a\b c'`,
	}
	base := cmd.Flags().StringP("base", "b", "", "the `base` URI")
	profile := profileFlag(cmd)
	compatible := cmd.Flags().Bool("compatible", false,
		"resolve a reference like http:g relative to a base of the same scheme, as older software does (RFC 3986 section 5.2.2; rfc profile)")
	charset := cmd.Flags().String("charset", "", "the `charset` of the page, in which queries are encoded (web profile)")
	cmd.RunE = func(cmd *cobra.Command, refs []string) error {
		if len(refs) == 0 {
			return usageError("uri resolve: name a reference")
		}
		task := uriTask{profile: *profile, compatible: *compatible, charset: *charset}
		switch {
		case cmd.Flags().Changed("base"):
			task.base = base
		case *profile == profileRFC:
			return usageError("uri resolve: --base is required: the URI that references are resolved against")
		}
		return printEach(cmd, refs, task.resolve)
	}
	return cmd
}

func newURINormalizeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "normalize URI...",
		Short:   "print the normal form of URIs (RFC 3986 section 6)",
		Long:    "Prints the normal form of each URI, one per line. With --explain, each normalization step is printed before it, with the section of the standard that describes the step.",
		Example: "orbweaver uri normalize --explain HTTP://EXAMPLE.com:80/%7Ea/../b",
	}
	profile := profileFlag(cmd)
	explain := cmd.Flags().Bool("explain", false, "print each step with its section")
	cmd.RunE = func(cmd *cobra.Command, uris []string) error {
		if len(uris) == 0 {
			return usageError("uri normalize: name a URI")
		}
		task := uriTask{profile: *profile}
		if *explain {
			return printEach(cmd, uris, task.explain)
		}
		return printEach(cmd, uris, task.normalize)
	}
	return cmd
}

func newURICompareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare URI URI",
		Short: "tell whether two URIs are equivalent (RFC 3986 section 6)",
		Long:  "Prints equivalent or different. The level of the comparison ladder (section 6) at which the URIs become equivalent is printed on standard error, or with --explain on standard output. The exit status is 0 if they are equivalent, 1 if they are not known to be, and 2 if one is not a URI.",
		Example: `orbweaver uri compare http://example.com HTTP://EXAMPLE.com:80/
orbweaver uri compare --explain urn:example:a%2Cb URN:Example:a%2cb`,
	}
	profile := profileFlag(cmd)
	explain := cmd.Flags().Bool("explain", false, "print the comparison level at which they become equivalent, and both normal forms")
	cmd.RunE = func(cmd *cobra.Command, uris []string) error {
		if len(uris) != 2 {
			return usageError("uri compare: name two URIs")
		}
		task := uriTask{profile: *profile}
		rung, err := task.compare(uris[0], uris[1])
		if err != nil {
			return usageError("%w", err)
		}
		fmt.Fprintln(cmd.OutOrStdout(), comparison(rung))
		where := cmd.ErrOrStderr()
		if *explain {
			where = cmd.OutOrStdout()
		}
		if rung.Equivalent() {
			fmt.Fprintf(where, "comparison level: %s, %s\n", rung, rung.Section())
		}
		if *explain {
			for _, uri := range uris {
				normal, err := task.normalize(uri)
				if err != nil {
					return usageError("%w", err)
				}
				fmt.Fprintln(where, normal)
			}
		}
		if !rung.Equivalent() {
			return &exitError{code: exitDifferent}
		}
		return nil
	}
	return cmd
}

func comparison(rung urinorm.Rung) string {
	if rung.Equivalent() {
		return "equivalent"
	}
	return "different"
}

// printEach prints the result of do for each argument, one per line. Errors are collected
// and do not stop it.
func printEach(cmd *cobra.Command, args []string, do func(string) (string, error)) error {
	var faults []error
	for _, arg := range args {
		line, err := do(arg)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		fmt.Fprintln(cmd.OutOrStdout(), line)
	}
	if faults != nil {
		return usageError("%w", errors.Join(faults...))
	}
	return nil
}

// uriTask is an operation of package urinorm in one of its profiles.
type uriTask struct {
	profile    string
	base       *string // nil for none
	charset    string  // of the page that contains the reference; web profile
	compatible bool    // the older interpretation of http:g; rfc profile
}

// web parses a reference as a browser does, relative to the base if there is one.
func (t uriTask) web(ref string) (urinorm.URL, urinorm.Repairs, error) {
	at := "about:blank" // only absolute references can be resolved against it
	switch {
	case t.base != nil:
		at = *t.base
	case t.charset == "":
		return urinorm.ParseWeb(ref)
	}
	u, _, err := urinorm.ParseWeb(at)
	if err != nil {
		return urinorm.URL{}, 0, err
	}
	base, err := urinorm.NewBase(u, t.charset)
	if err != nil {
		return urinorm.URL{}, 0, err
	}
	return base.Resolve(ref)
}

// target returns the target of a reference if there is a base, and the reference itself
// otherwise (rfc profile).
func (t uriTask) target(ref string) (string, error) {
	if t.base == nil {
		_, err := urinorm.ParseRFC(ref)
		return ref, err
	}
	return urinorm.ResolveRFC(*t.base, ref, !t.compatible)
}

func (t uriTask) resolve(ref string) (string, error) {
	if t.profile == profileWeb {
		u, _, err := t.web(ref)
		return u.String(), err
	}
	if t.base == nil {
		return "", errors.New("resolve: a base is missing")
	}
	return t.target(ref)
}

func (t uriTask) normalize(uri string) (string, error) {
	if t.profile == profileWeb {
		u, _, err := t.web(uri)
		return u.String(), err
	}
	target, err := t.target(uri)
	if err != nil {
		return "", err
	}
	return urinorm.NormalizeRFC(target)
}

// explain returns the steps of a normalization and the result, one per line.
func (t uriTask) explain(uri string) (string, error) {
	var lines strings.Builder
	explain := urinorm.ExplainNormalize
	if t.profile == profileWeb {
		explain = urinorm.ExplainWeb
	}
	steps, err := explain(uri)
	if err != nil {
		return "", err
	}
	for _, step := range steps {
		fmt.Fprintf(&lines, "%s  %s: %s\n", step.Section, step.What, printable(step.Result))
		uri = step.Result
	}
	return lines.String() + uri, nil
}

// key returns the key that identifies a resource for deduplication. It has no fragment,
// because a fragment is not part of what is retrieved (RFC 3986 section 6.1).
func (t uriTask) key(uri string) (string, error) {
	if t.profile == profileWeb {
		u, _, err := t.web(uri)
		if err != nil {
			return "", err
		}
		return string(urinorm.KeyOf(u)), nil
	}
	normal, err := t.normalize(uri)
	normal, _, _ = strings.Cut(normal, "#")
	return normal, err
}

// compare returns the level at which two URIs are equal. In the web profile, URIs are
// equal as strings if browsers parse them to the same URL (URL Standard section 4.6);
// otherwise they are compared after the syntax-based normalization of RFC 3986 section
// 6.2.2.
func (t uriTask) compare(a, b string) (urinorm.Rung, error) {
	if t.profile == profileWeb {
		return t.compareWeb(a, b)
	}
	a, err := t.target(a)
	if err != nil {
		return urinorm.RungNone, err
	}
	b, err = t.target(b)
	if err != nil {
		return urinorm.RungNone, err
	}
	return urinorm.Compare(a, b)
}

func (t uriTask) compareWeb(a, b string) (urinorm.Rung, error) {
	ua, _, err := t.web(a)
	if err != nil {
		return urinorm.RungNone, err
	}
	ub, _, err := t.web(b)
	if err != nil {
		return urinorm.RungNone, err
	}
	if ua.String() == ub.String() {
		return urinorm.RungString, nil
	}
	// The key lacks the fragment and the user name and password.
	fragmentA, hasA := ua.Fragment()
	fragmentB, hasB := ub.Fragment()
	same := urinorm.KeyOf(ua) == urinorm.KeyOf(ub) && hasA == hasB && fragmentA == fragmentB &&
		ua.Username() == ub.Username() && ua.Password() == ub.Password()
	if same {
		return urinorm.RungPercent, nil
	}
	return urinorm.RungNone, nil
}
