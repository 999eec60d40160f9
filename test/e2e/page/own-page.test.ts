import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../house/source-tree.ts";
import { useServer } from "../clients/server.ts";
import { useBrowser } from "./browser.ts";

/** The two chat pages of docs/your-own-chat-page.md, from another origin, as anybody builds theirs. */

const TOKEN = "tok_own-page_0123456789abcdef";
const PAGES = ["use-chat-page", "use-agent-chat-page"] as const;
const scripts = new Map<string, string>();
let pages: Server;
let origin = "";

beforeAll(async () => {
  pages = createServer((request, response) => {
    const script = scripts.get((request.url ?? "").replace(/^\/|\.js$/g, ""));
    const isScript = request.url?.endsWith(".js") === true;
    response.writeHead(script === undefined ? 404 : 200, {
      "content-type": isScript ? "text/javascript" : "text/html",
    });
    response.end(
      isScript ? script : `<!doctype html><body><script type="module" src="${request.url}.js"></script>`,
    );
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => pages.close(resolve)));

const server = useServer(() => [
  "ALLOW_ANONYMOUS:false",
  `ORIGINS:${origin}`,
  `AUTH_TOKENS:${JSON.stringify({ [TOKEN]: { subject: "alice", scopes: ["read", "send", "approve"] } })}`,
]);
const visitors = useBrowser(server);

beforeAll(async () => {
  process.env["VITE_CAIRN"] = server.url;
  for (const name of PAGES) scripts.set(name, await buildPage(name));
});

async function buildPage(name: string): Promise<string> {
  const built = await build({
    configFile: false,
    root: ROOT,
    logLevel: "error",
    // Vitest is no production.
    oxc: { jsx: { runtime: "automatic", development: false } },
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      target: "esnext",
      lib: { entry: `test/fixtures/docs/pages/${name}.tsx`, formats: ["es"], fileName: name },
    },
  });
  const [bundle] = Array.isArray(built) ? built : [built];
  const [chunk] = bundle !== undefined && "output" in bundle ? bundle.output : [];
  if (chunk === undefined || chunk.type !== "chunk") throw new Error("the page was not built");
  return chunk.code;
}

async function open(name: string): Promise<Page> {
  const person = await visitors.person();
  await person.addInitScript(`if (location.protocol === "http:") sessionStorage["token"] = "${TOKEN}"`);
  const page = await person.newPage();
  await page.goto(`${origin}/${name}`);
  await page.locator("input").waitFor();
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.locator("input").fill(text);
  await page.locator("input").press("Enter");
}

const siteStatus = async (): Promise<number> => (await fetch(`${server.url}/site/about`)).status;
const headers = { authorization: `Bearer ${TOKEN}` };

/** The tools of the session's calls, with what became of each, once nothing of it works or waits. */
async function settled(
  session: string,
): Promise<readonly [tool: string, status: string, observation: string][]> {
  const events = `${server.url}/api/sessions/${session}/events`;
  await (
    await fetch(`${events}?until=idle`, { headers: { ...headers, accept: "text/event-stream" } })
  ).text();
  const { items } = (await (await fetch(events, { headers })).json()) as {
    items: { kind: string; body: Record<string, unknown> }[];
  };
  const calls = items.filter(({ kind }) => kind === "call_settled");
  return calls.map(({ body }) => [String(body["tool"]), String(body["status"]), String(body["observation"])]);
}

test.each([
  [PAGES[0], "unpublished", 404],
  [PAGES[1], "published", 200],
] as const)("%s runs its own tool, and decides an approval", async (name, to, status) => {
  const page = await open(name);
  await say(page, "/call getTimeZone {}");
  await page.getByText("getTimeZone: output-available").waitFor();
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const session = await page.evaluate(() => localStorage.getItem("chat") ?? "");
  expect(await settled(session)).toEqual([["getTimeZone", "ok", expect.stringContaining(`"${zone}"`)]]);
  await say(page, `/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"${to}"}`);
  const yes = page.getByRole("button", { name: "Yes" });
  await yes.waitFor();
  expect(await siteStatus()).not.toBe(status);
  await yes.click();
  await page.getByText("set_status: output-available").waitFor();
  expect(await siteStatus()).toBe(status);
  expect((await settled(session)).at(-1)).toEqual(["set_status", "ok", expect.any(String)]);
});
