// An OpenID Connect provider by oidc-provider. Arguments: the directory of the package, and the secret
// of the client. It prints its issuer, and reads the redirect address of the client from its input.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [dir, secret] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(dir + "/lib/index.js").href);
const web = createServer();
await new Promise((done) => web.listen(0, "127.0.0.1", done));
const issuer = `http://127.0.0.1:${web.address().port}`;
console.log(issuer);
for await (const redirect of createInterface({ input: process.stdin })) {
  const provider = new Provider(issuer, {
    clients: [{ client_id: "links", client_secret: secret, redirect_uris: [redirect], response_types: ["code"], grant_types: ["authorization_code"] }],
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email", "email_verified"] },
    cookies: { keys: ["key"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, preferred_username: id, groups: ["docs"], email: id + "@example.com", email_verified: true }) }),
  });
  web.on("request", provider.callback());
  console.log("ready");
}
