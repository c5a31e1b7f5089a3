package main

// partial makes the repository a partial clone from the remote "origin", in which an object
// is missing that git would therefore fetch.
const partial = `
git config remote.origin.promisor true
git config remote.origin.partialclonefilter tree:0
lose() { name=$(git rev-parse "$1"); rm -f ".git/objects/$(echo "$name" | cut -c1-2)/$(echo "$name" | cut -c3-)"; }
`

const (
	missingCommit = partial + "lose HEAD~1\n"
	noSuchCommit  = "git finds no such commit"
	readCommit    = "git cat-file -p HEAD~1"
)

// lookAlike makes the directory docs look like a bare repository.
const lookAlike = `
mkdir docs/objects docs/refs
touch docs/objects/.keep docs/refs/.keep
echo 'ref: refs/heads/main' >docs/HEAD
`

var hostileRepositories = []hostileRepository{
	// A directory that looks like a bare repository can be committed.
	{name: "bare look-alike with a monitor", plain: "git -C docs status", setup: lookAlike + `
printf '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = "%s"\n' "$EVIL" >docs/config
git add docs/HEAD docs/config docs/objects docs/refs
git commit -qm look-alike`},
	{name: "bare look-alike with objects and a filter", plain: "git -C docs status", setup: lookAlike + `
cp -a .git/objects .git/refs .git/index docs/
printf '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\n[filter "x"]\nclean = "%s"\n' "$EVIL" >docs/config
echo '* filter=x' >.gitattributes`},
	{name: "bare look-alike with an alias and a pager", plain: "git -C docs zz", setup: lookAlike + `
printf '[core]\nrepositoryformatversion = 0\npager = "%s"\n[alias]\nzz = "!%s"\nrev-parse = "!%s"\n' "$EVIL" "$EVIL" "$EVIL" >docs/config`},

	// An archive can have a .git directory.
	{name: "core.fsmonitor", plain: "git status", setup: `git config core.fsmonitor "$EVIL"`},
	{name: "core.fsmonitor of an included file", plain: "git status", setup: `
git config include.path ../docs/settings
printf '[core]\nfsmonitor = "%s"\n' "$EVIL" >docs/settings`},
	{name: "core.fsmonitor of a conditionally included file", plain: "git status", setup: `
git config 'includeIf.gitdir:**.path' ../docs/settings
printf '[core]\nfsmonitor = "%s"\n' "$EVIL" >docs/settings`},
	{name: "core.fsmonitor of a work tree's configuration", plain: "git status", setup: `
git config extensions.worktreeConfig true
git config --worktree core.fsmonitor "$EVIL"`},
	{name: "core.fsmonitor of a repository elsewhere in the tree", plain: "git status", setup: `
git config core.fsmonitor "$EVIL"
mv .git docs/settings
echo 'gitdir: docs/settings' >.git`},
	{name: "core.fsmonitor of a common directory in the tree", plain: "git status", setup: `
cp -a .git docs/common
git config -f docs/common/config core.fsmonitor "$EVIL"
echo ../docs/common >.git/commondir`},
	{name: "core.fsmonitor of a linked work tree", plain: "git status", setup: `
git config core.fsmonitor "$EVIL"
git worktree add -q -b other linked
cp docs/a.html linked/docs/a.html
mkdir kept
mv .git kept/.git
mv docs kept/
mv linked/docs docs
mv linked/.git .git
echo "gitdir: kept/.git/worktrees/linked" >.git
echo "$TREE/.git" >kept/.git/worktrees/linked/gitdir`},
	{name: "core.fsmonitor of a nested repository", plain: "git -C docs/nested status", setup: `
git init -q docs/nested
git -C docs/nested config core.fsmonitor "$EVIL"`},
	{name: "core.fsmonitor of a submodule", plain: "git status", setup: `
git init -q "$TREE/../sub"
git -C "$TREE/../sub" commit -q --allow-empty -m first
git -c protocol.file.allow=always submodule --quiet add "$TREE/../sub" docs/sub
git commit -qm submodule
git -C docs/sub config core.fsmonitor "$EVIL"`},
	{name: "filter of a submodule", plain: "git status", setup: `
git init -q "$TREE/../sub"
echo '* filter=x' >"$TREE/../sub/.gitattributes"
echo one >"$TREE/../sub/text"
git -C "$TREE/../sub" add .
git -C "$TREE/../sub" commit -qm first
git -c protocol.file.allow=always submodule --quiet add "$TREE/../sub" docs/sub
git commit -qm submodule
git -C docs/sub config filter.x.clean "$EVIL"
echo two >docs/sub/text`},

	{name: "filter.clean", plain: "git status", setup: `
echo '*.html filter=x' >.gitattributes
git config filter.x.clean "$EVIL"
git config filter.x.required true`},
	{name: "filter.process", plain: "git status", setup: `
echo '*.html filter=x' >.gitattributes
git config filter.x.process "$EVIL"`},
	{name: "filter.smudge", plain: "git cat-file --filters HEAD:docs/a.html", setup: `
echo '*.html filter=x' >.gitattributes
git config filter.x.smudge "$EVIL"`},
	{name: "filter by .git/info/attributes", plain: "git diff", setup: `
echo '*.html filter=x' >.git/info/attributes
git config filter.x.clean "$EVIL"`},
	{name: "filter by core.attributesFile", plain: "git diff", setup: `
echo '*.html filter=x' >docs/attributes
git config core.attributesFile "$TREE/docs/attributes"
git config filter.x.clean "$EVIL"`},
	{name: "filter by the user's configuration, with a program in the tree", plain: "git diff", setup: `
echo '*.html filter=x' >.gitattributes
git config --global filter.x.clean ./evil`},
	{name: "hooks by the user's configuration, with programs in the tree", plain: "touch docs/b.html; git status", setup: `
mkdir hooks
cp evil hooks/post-index-change
git config --global core.hooksPath hooks`},

	{name: "diff.external", plain: "git diff", setup: `git config diff.external "$EVIL"`},
	{name: "diff.textconv", plain: "git diff", setup: `
echo '*.html diff=x' >.gitattributes
git config diff.x.textconv "$EVIL"`},
	{name: "diff.command", plain: "git diff", setup: `
echo '*.html diff=x' >.gitattributes
git config diff.x.command "$EVIL"`},
	{name: "difftool", plain: "git difftool -y", setup: `
git config diff.tool x
git config difftool.x.cmd "$EVIL"`},
	{name: "merge driver", plain: "git stash -q; git checkout -qb o HEAD~1; echo x >docs/a.html; git commit -qam o; echo y >docs/a.html; git commit -qam p; git cherry-pick --strategy=recursive main~1; git checkout -q main; echo z >docs/a.html; git commit -qam q; git merge o", setup: `
echo '*.html merge=x' >.gitattributes
git add .gitattributes
git commit -qm attributes
git config merge.x.driver "$EVIL"`},

	{name: "core.hooksPath", plain: "touch docs/b.html; git status", setup: `
mkdir hooks
cp evil hooks/post-index-change
git config core.hooksPath hooks`},
	{name: "hook post-index-change", plain: "touch docs/b.html; git status", setup: `
mkdir -p .git/hooks
cp evil .git/hooks/post-index-change
touch docs/b.html`},
	{name: "hook reference-transaction", plain: "git update-ref refs/heads/other HEAD", setup: `
mkdir -p .git/hooks
cp evil .git/hooks/reference-transaction`},
	{name: "hook post-checkout", plain: "git checkout -q -b other", setup: `
mkdir -p .git/hooks
cp evil .git/hooks/post-checkout`},
	{name: "hook fsmonitor-watchman", plain: "git status", setup: `
mkdir -p .git/hooks
cp evil .git/hooks/fsmonitor-watchman
git config core.fsmonitor .git/hooks/fsmonitor-watchman`},

	// In a partial clone, git fetches missing objects when it needs them.
	{name: "lazy fetch by core.sshCommand", plain: readCommit, since: "HEAD~1", fails: noSuchCommit, setup: missingCommit + `
git config remote.origin.url ssh://127.0.0.1/x
git config core.sshCommand "$EVIL"`},
	{name: "lazy fetch by ext::", plain: readCommit, since: "HEAD~1", fails: noSuchCommit, setup: missingCommit + `
git config remote.origin.url "ext::$EVIL"
git config protocol.ext.allow always`},
	{name: "lazy fetch by ext:: of another URL", plain: readCommit, since: "HEAD~1", fails: noSuchCommit, setup: missingCommit + `
git config remote.origin.url https://example.com/
git config "url.ext::$EVIL .insteadOf" https://example.com/
git config protocol.ext.allow always`},
	{name: "lazy fetch by remote.uploadpack", plain: readCommit, since: "HEAD~1", fails: noSuchCommit, setup: missingCommit + `
git config remote.origin.url "$TREE"
git config remote.origin.uploadpack "$EVIL"`},
	{name: "lazy fetch by core.gitProxy", plain: readCommit, since: "HEAD~1", fails: noSuchCommit, setup: missingCommit + `
git config remote.origin.url git://127.0.0.1/x
git config core.gitProxy "$EVIL"`},
	{name: "lazy fetch by remote.vcs", plain: readCommit, since: "HEAD~1", fails: noSuchCommit, path: "$TREE/bin", setup: missingCommit + `
mkdir bin
cp evil bin/git-remote-evil
git config remote.origin.url x
git config remote.origin.vcs evil`},
	{name: "lazy fetch of a tree", plain: "git ls-tree -r HEAD", fails: "git diff-index: ", setup: partial + `
git config remote.origin.url "ext::$EVIL"
git config protocol.ext.allow always
lose HEAD^{tree}`},
	{name: "lazy fetch of a blob", plain: "git show HEAD:docs/b.html", setup: partial + `
git config remote.origin.url "ext::$EVIL"
git config protocol.ext.allow always
lose HEAD:docs/b.html
lose HEAD:docs/a.html`},
	{name: "uploadpack.packObjectsHook", dead: "git reads it only from the user's configuration", setup: `
git config uploadpack.packObjectsHook "$EVIL"`},
	{name: "core.alternateRefsCommand", plain: "git rev-list --alternate-refs", setup: `
git init -q --bare "$TREE/../other.git"
echo "$TREE/../other.git/objects" >.git/objects/info/alternates
git config core.alternateRefsCommand "$EVIL"`},

	{name: "credential.helper", plain: "printf 'url=http://127.0.0.1/\n' | git credential fill", setup: `git config credential.helper "!$EVIL"`},
	{name: "core.askPass", plain: "printf 'url=http://127.0.0.1/\n' | git credential fill", setup: `git config core.askPass "$EVIL"`},
	{name: "core.pager", plain: "script -qec 'git log' /dev/null", setup: `git config core.pager "$EVIL"`},
	{name: "pager of a command", plain: "script -qec 'git diff' /dev/null", setup: `
for command in config diff diff-index hash-object ls-files merge-base rev-parse; do git config "pager.$command" "$EVIL"; done`},
	{name: "core.editor", plain: "git tag -a x", setup: `git config core.editor "$EVIL"`},
	{name: "sequence.editor", plain: "git stash -q; git rebase -i HEAD~1", setup: `git config sequence.editor "$EVIL"`},
	{name: "gpg.program", plain: "git commit -S --allow-empty -m signed", setup: `
git config gpg.program "$EVIL"
git config log.showSignature true
git config commit.gpgSign true`},
	{name: "trailer.command", plain: "git interpret-trailers --trailer x </dev/null", setup: `git config trailer.x.command "$EVIL"`},
	{name: "alias", plain: "git zz", setup: `
for command in zz config diff-index hash-object ls-files merge-base rev-parse; do git config "alias.$command" "!$EVIL"; done`},

	// Names are not options.
	{name: "commit named like an option of diff", plain: `git diff --output="$CANARY"`, since: "--output=../started", fails: "not the name of a commit", setup: "true"},
	{name: "commit named like an option of fetch", plain: `git ls-remote --upload-pack="$EVIL" .`, since: "--upload-pack=./evil", fails: "not the name of a commit", setup: "true"},
	{name: "files named like options", plain: "git diff */started", setup: `
mkdir -- --output=..
touch -- --output=../started docs/--help.html docs/-- 'docs/:(top)' 'docs/*.html'`},
	{name: "branch named like an option", dead: "git forbids to create it, and reads it as an option", since: "-x", fails: "not the name of a commit", setup: `
cp .git/refs/heads/main .git/refs/heads/-x`},

	// The program is not found in the tree.
	{name: "git in the working directory", plain: "git status", path: ".", setup: "cp evil git"},
	{name: "git in a directory of the tree", plain: "git status", path: "$TREE/bin", setup: "mkdir bin; cp evil bin/git"},
	{name: "git behind an empty entry of PATH", plain: "git status", path: ":/nonexistent", setup: "cp evil git"},
	{name: "git behind a relative entry of PATH", plain: "git status", path: "docs/../bin", setup: "mkdir bin; cp evil bin/git"},
}
