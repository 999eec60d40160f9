import { readdir, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { renderMarkdown } from "../../src/plugins/cms/renderer/html/markdown.ts";
import { siteContext } from "../plugins/cms/site-fixture.ts";
import { chat, run } from "./clients/command.ts";
import { answerOf, callsOf, fetchLog } from "./clients/log.ts";
import { expectAnswerIsLast, expectGoodConduct, expectPageIsPublic, WISH } from "./clients/main-wish.ts";
import { useServer } from "./clients/server.ts";

/** Something of all that the stand-ins in wrangler.toml touch: references, attributes, notes, lists, tables. */
const TEXT = `### Hearts &hearts; &ngE; &nosuch; &amp; &lt;b&gt; "x" < y & z

1. one[^1]
3. two
   - [x] done
   - [ ] open

| left | right |
|:-----|------:|
| \`a\` | ~~b~~ |

[^1]: A note.

\`\`\`js
const a = 1 < 2 && "b";
\`\`\`

https://example.com/?a=1&b=2 and <mailto:a@example.com>`;

describe("the first wish on a fresh machine", () => {
  const server = useServer();

  test("is worked off in the terminal: seen, asked, published, in the navigation, answered", async () => {
    const { code, out, err } = await chat(server.url, [WISH, "--yes", "--session", "first"]).exit;
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err).toContain("APPROVED");
    expect(out).toContain("May I?");
    await expectPageIsPublic(server.url);
    await expectGoodConduct(server.url, "first");
    await expectAnswerIsLast(server.url, "first", out);
  });

  test("finds a text on the site written as the packages write it that the bundle holds smaller copies of", async () => {
    const add = { page: "about", template: "feature", content: { heading: "Text", description: TEXT } };
    const show = { targets: [{ type: "page", ref: "about" }], to: "published" };
    const script = `/call section_add ${JSON.stringify(add)}\n/then\n/call set_status ${JSON.stringify(show)}\n/then\n/say Shown.`;
    await chat(server.url, [script, "--yes"]).exit;
    const html = await (await fetch(`${server.url}/site/about`)).text();
    expect(html).toContain(String(renderMarkdown(TEXT, 2, siteContext())));
  });

  test("comes to lines of JSON for a script, the last one the end", async () => {
    const { code, out } = await chat(server.url, ["/call site_overview {}\n/then\n/say Seen.", "--json"])
      .exit;
    const lines = out
      .trim()
      .split("\n")
      .map((line): { readonly type: string } => JSON.parse(line));
    expect(code).toBe(0);
    expect(lines[0]?.type).toBe("session");
    expect(lines.at(-1)).toMatchObject({ type: "ended", class: "answered" });
  });

  test("leaves a log that folds again from the files on disk, while the server has them open, and from what the API tells", async () => {
    // So many entries that the state of the session is stored.
    const wish = '/call page_get {"page":"about"}\n/then\n/say Seen.';
    for (let run = 0; run < 4; run++) await chat(server.url, [wish, "--session", "again"]).exit;
    const replay = (file: string) => run("npm", ["run", "--silent", "replay", "--", file]).exit;
    const digestOf = (out: string) => /^replayed state {2}(sha256:[0-9a-f]{64})$/m.exec(out)?.[1];
    const api = `${server.url}/api/sessions/again`;

    const told = path.join(server.directory, "events.json");
    await writeFile(told, await (await fetch(`${api}/events?limit=1000`)).text());
    const events = await replay(told);
    expect(events.out).toContain("r1  completed");

    const sessions = path.join(server.directory, "v3/do/cairn-Session");
    const files = (await readdir(sessions)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
    const replayed = await Promise.all(files.map((name) => replay(path.join(sessions, name))));
    for (const { code, out, err } of replayed) {
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toMatch(/\n(equal|There is no stored state to compare with: .*)\n$/);
    }
    expect(replayed.filter(({ out }) => out.endsWith("\nequal\n")).length).toBeGreaterThan(0);
    expect(digestOf(events.out)).toBeDefined();
    expect(replayed.map(({ out }) => digestOf(out))).toContain(digestOf(events.out));

    const traced = path.join(server.directory, "trace.jsonl");
    await writeFile(traced, await (await fetch(`${api}/trace?format=jsonl`)).text());
    expect(await replay(traced)).toMatchObject({
      code: 0,
      out: expect.stringContaining("The trace is as it was exported."),
    });
  });
});

describe("a no", () => {
  const server = useServer();

  test("with a reason leaves the page a draft, and the answer says so", async () => {
    const command = chat(server.url, [WISH, "--session", "denied"], null);
    await command.saw("Approve?");
    command.child.stdin?.end("n because the text is not ready\n");
    const { code, out } = await command.exit;
    expect(code).toBe(3);
    expect((await fetch(`${server.url}/site/prices`)).status).toBe(404);

    const log = await fetchLog(server.url, "denied");
    const calls = callsOf(log);
    expect(calls.filter((each) => each.tool === "page_create").map((each) => each.status)).toEqual(["ok"]);
    expect(calls.find((each) => each.tool === "set_status")?.status).toBe("denied");
    expect(calls.filter((each) => each.approved !== null)).toEqual([]);
    expect(answerOf(log)).toMatch(/draft|not (?:been )?published|denied|declined|not approved/i);
    await expectAnswerIsLast(server.url, "denied", out);
  });
});

describe("a client that cannot get in", () => {
  const server = useServer(() => [
    "ALLOW_ANONYMOUS:false",
    'AUTH_TOKENS:{"alice-token-for-tests-01":{"subject":"alice","scopes":["read","send","approve"]},"bob-token-for-tests-0001":{"subject":"bob","scopes":["read","send"]}}',
  ]);
  const args = ["/say Hello.", "--session", "hers"];

  test("is told to bring a token", async () => {
    const { code, err } = await chat(server.url, args).exit;
    expect(code).toBe(1);
    expect(err).toContain("CAIRN_TOKEN");
  });

  test("is told that its token is unknown", async () => {
    const { code, err } = await chat(server.url, [...args, "--token", "nobody-knows-this-token"]).exit;
    expect(code).toBe(1);
    expect(err).toContain("not accepted");
  });

  test("is told when the session is somebody else's", async () => {
    const own = await chat(server.url, [...args, "--token", "alice-token-for-tests-01"]).exit;
    expect(own).toMatchObject({ code: 0, out: "Hello.\n" });
    const { code, err } = await chat(server.url, [...args, "--token", "bob-token-for-tests-0001"]).exit;
    expect(code).toBe(1);
    expect(err).toContain('"hers"');
  });

  test("is told within seconds that an address does not answer", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const { code, err } = await chat(`http://127.0.0.1:${port}`, args).exit;
    expect([code, err]).toEqual([1, expect.stringContaining("does not answer: it was given up after 10 s")]);
  });

  test("is told how to start a server when there is none", async () => {
    const { code, err } = await chat("http://127.0.0.1:9", args).exit;
    expect(code).toBe(1);
    expect(err).toContain("npm start");
  });
});
