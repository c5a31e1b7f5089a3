// A session of the client of the MCP TypeScript SDK, which validates what it gets: it checks, reads page after
// page, makes the fixes and checks again; then it lists and calls every tool.
// Arguments: the directory of the SDK, the program, a root with a finding.
import { pathToFileURL } from "node:url";
const [sdk, program, root] = process.argv.slice(2);
const at = (file) => pathToFileURL(`${sdk}/dist/esm/client/${file}`).href;
const { Client } = await import(at("index.js"));
const { StdioClientTransport } = await import(at("stdio.js"));
const client = new Client({ name: "test", version: "1" });
client.onerror = (error) => {
  console.error(`client: ${error}`);
  process.exitCode = 1;
};
await client.connect(new StdioClientTransport({ command: program, args: ["mcp", "--root", root, "--write"] }));
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  return result.structuredContent;
};
const codes = async (which) => {
  const { run } = await call("check", { target: ".", limit: 1 });
  const found = [];
  for (let after; after !== null; ) {
    const { items, next } = await call("findings", after ? { run, limit: 1, after } : { run, limit: 1 });
    found.push(...items);
    after = next;
  }
  console.log(`findings of the ${which} run, one a page: ${found.map((f) => f.code).sort().join(" ")}`);
  return { run, items: found };
};
const { run } = await codes("first");
const { items: edits } = await call("fixes", { run });
console.log(`fixes: ${edits.map((e) => `${e.old} -> ${e.new}`).join(", ")}`);
console.log(`applied: ${(await call("apply_fixes", { run, all: true })).applied.length}`);
const second = await codes("second");
const args = {
  check: { target: "." },
  findings: { run: second.run },
  finding: { run: second.run, id: second.items[0].id },
  explain: { code: second.items[0].code },
  verify: { urls: ["mailto:a@b.test"] },
  fixes: { run },
  apply_fixes: { run, all: true },
};
const { tools } = await client.listTools();
for (const { name, title } of tools) {
  await call(name, args[name]);
  if (!title) throw new Error(`${name} has no title`);
}
console.log(`tools: ${tools.map((t) => t.name).join(" ")}`);
await client.close();
