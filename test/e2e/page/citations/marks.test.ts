import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import * as z from "zod";
import { exportSchema, sealOf } from "../../../../src/cairn/protocol/session-file.ts";
import { useServer } from "../../clients/server.ts";
import { DESK, PHONE, useBrowser, violations } from "../browser.ts";

/** The marks of an answer, and what they open. Reading a page needs the web, so the session is one that was imported. */

const server = useServer();
const visitors = useBrowser(server);

const ANSWER = [
  "The pass opens on **15 May** [e1], and the hut a week later [e2, e3].",
  "Nobody knows [e9]. A mark looks like `[e1]`.",
];
const passes = { page: "p1", url: "https://alps.example/passes?year=2026", title: "The passes in 2026" };
const huts = { page: "p2", url: "http://huts.example/", title: "" };
const place = { start: 0, end: 29, fetchedAt: Date.UTC(2026, 10, 22, 10) };
const ITEMS = [
  { id: "e1", ...passes, ...place, quote: "The pass opens on 15 May if the snow lets it." },
  { id: "e2", ...huts, ...place, quote: "We open on 22 May." },
  { id: "e3", ...passes, ...place, quote: "The huts follow a week later." },
];

const made = z.object({ id: z.string() });
const shared = z.object({ url: z.string() });

async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status, path).toBeLessThan(300);
  return response.headers.get("content-type")?.includes("json") === true ? response.json() : response.text();
}

/** A session whose answer cites, as an export of a deployment with the web would bring it. */
async function citingSession(name: string): Promise<string> {
  const text = ANSWER.map((line) => `/say ${line}`).join("\n/say\n");
  await post(`/api/sessions/${name}/messages`, { text });
  const answered = async (): Promise<z.output<typeof exportSchema>> =>
    exportSchema.parse(await (await fetch(`${server.url}/api/sessions/${name}/export`)).json());
  await expect
    .poll(async () => (await answered()).entries.some(({ kind }) => kind === "run_ended"))
    .toBe(true);
  const file = await answered();
  const entries = file.entries.map((entry) =>
    entry.kind === "answer"
      ? { ...entry, body: { ...entry.body, citations: { items: ITEMS, unmarked: 0 } } }
      : entry,
  );
  const citing = { ...file, entries };
  return made.parse(await post("/api/sessions/import", { ...citing, seal: sealOf(citing) })).id;
}

const answerOf = (page: Page) => page.getByRole("article", { name: "Cairn" });
const LOOKS = [
  ["light", { ...DESK, colorScheme: "light" }],
  ["dark", { ...DESK, colorScheme: "dark" }],
  ["on a phone", PHONE],
] as const;

test.each(LOOKS)("a mark opens the words that it stands for, %s", async (look, options) => {
  const session = await citingSession(`cites-${look.replaceAll(" ", "-")}`);
  const page = await visitors.tab(`#/s/${session}`, options);
  const answer = answerOf(page);
  const marks = answer.getByRole("button", { name: /^Source \d/ });
  await expect.poll(() => marks.allTextContents()).toEqual(["1", "2", "1"]);
  await answer.getByText("Nobody knows [e9]. A mark looks like [e1].").waitFor();
  const sources = answer.getByRole("region", { name: "Sources" });
  expect(await sources.getByRole("listitem").allTextContents()).toEqual([
    "The passes in 2026 alps.example",
    "huts.example",
  ]);
  expect(await violations(page)).toEqual([]);

  await marks.last().focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "The passes in 2026" });
  await dialog.getByText("The huts follow a week later.").waitFor();
  // An imported session has only its log, without pages.
  await dialog.getByText("The rest of this page is not stored in this session.").waitFor();
  const link = dialog.getByRole("link", { name: passes.url });
  expect(await link.getAttribute("href")).toBe(passes.url);
  expect(await link.getAttribute("rel")).toBe("noreferrer noopener");
  expect(await dialog.locator("time").getAttribute("datetime")).toBe("2026-11-22T10:00:00.000Z");
  const box = await dialog.boundingBox();
  expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= options.viewport.width).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await marks.last().evaluate((mark) => mark === mark.ownerDocument.activeElement)).toBe(true);

  await visitors.visit(page);
  await marks.nth(1).click();
  const other = page.getByRole("dialog", { name: "huts.example" });
  await other.getByText("We open on 22 May.").waitFor();
  await other.getByRole("button", { name: "Close" }).click();
  await other.waitFor({ state: "detached" });
});

test("a read-only link shows a stranger the same", async () => {
  const session = await citingSession("cites-shared");
  const { url } = shared.parse(await post(`/api/sessions/${session}/shares`, {}));
  const stranger = await (await visitors.person()).newPage();
  const asked: string[] = [];
  stranger.on("request", (request) => asked.push(request.url()));
  await visitors.visit(stranger, url);
  const answer = answerOf(stranger);
  await answer.getByRole("button", { name: "Source 1: The passes in 2026" }).first().click();
  const dialog = stranger.getByRole("dialog", { name: "The passes in 2026" });
  await dialog.getByText("The pass opens on 15 May if the snow lets it.").waitFor();
  expect(asked.filter((url) => url.includes("/pages/"))).toEqual([]);
  expect(await violations(stranger)).toEqual([]);
  await stranger.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await answer.getByRole("region", { name: "Sources" }).getByRole("link").count()).toBe(2);
  expect(await violations(stranger)).toEqual([]);
});
