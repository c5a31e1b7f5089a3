// Lists and calls every tool with the client of the MCP TypeScript SDK, which validates what it gets.
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
const { run, items } = await call("check", { target: "." });
const args = {
  check: { target: "." },
  findings: { run },
  finding: { run, id: items[0].id },
  explain: { code: items[0].code },
  verify: { urls: ["mailto:a@b.test"] },
  fixes: { run },
  apply_fixes: { run, all: true },
};
for (const { name } of (await client.listTools()).tools) {
  await call(name, args[name]);
  console.log(name);
}
await client.close();
