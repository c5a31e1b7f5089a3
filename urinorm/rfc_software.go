package urinorm

// softwareSchemes are schemes that IANA does not list, but that software registers with the
// operating system, or gives a meaning where links are written. Each has the place where its
// software describes it.
var softwareSchemes = []struct{ name, source string }{
	{"app", "Electron, protocol.handle and Obsidian: https://www.electronjs.org/docs/latest/api/protocol"},
	{"bear", "Bear, https://bear.app/faq/x-callback-url-scheme-documentation/"},
	{"claude", "Claude Desktop, https://support.claude.com/en/articles/14729294-open-claude-desktop-with-a-link"},
	{"code-oss", "Visual Studio Code, urlProtocol of its product.json, https://github.com/microsoft/vscode/blob/main/product.json"},
	{"command", "Visual Studio Code, https://code.visualstudio.com/api/extension-guides/command"},
	{"containers-storage", "containers-transports(5)"},
	{"docker-archive", "containers-transports(5)"},
	{"docker-daemon", "containers-transports(5)"},
	{"flatpak+https", "Flatpak, https://docs.flatpak.org/en/latest/hosting-a-repository.html"},
	{"inv", "MyST, https://myst-parser.readthedocs.io/en/latest/syntax/cross-referencing.html"},
	{"kitty", "kitty, https://sw.kovidgoyal.net/kitty/open_actions/"},
	{"lmstudio", "LM Studio, https://lmstudio.ai/docs/app/mcp/deeplink"},
	{"nix", "resources of MCP servers for Nix, such as nix://commands/common"},
	{"oci", "Helm, https://helm.sh/docs/topics/registries/; containers-transports(5)"},
	{"oci-archive", "containers-transports(5)"},
	{"path", "MyST, as inv; flake references of Nix, nix3-flake(1)"},
	{"pathname", "Docusaurus, https://docusaurus.io/docs/advanced/routing#escaping-from-spa-redirects"},
	{"pkg", "package URLs, https://github.com/package-url/purl-spec (ECMA-427)"},
	{"project", "MyST, as inv"},
	{"raycast", "Raycast, https://developers.raycast.com/information/lifecycle/deeplinks"},
	{"vscode-remote", "Visual Studio Code, https://code.visualstudio.com/docs/remote/remote-overview"},
	{"vscode-webview", "Visual Studio Code, https://code.visualstudio.com/api/extension-guides/webview"},
	{"vscodium", "VSCodium, https://github.com/VSCodium/vscodium"},
	{"warp", "Warp, https://docs.warp.dev/terminal/more-features/uri-scheme"},
	{"windsurf", "Windsurf, https://docs.windsurf.com/"},
}
