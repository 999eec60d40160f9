import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { createEnvironment } from "../../../src/plugins/cms/renderer/api/new-environment.ts";
import { entryCreate } from "../../../src/plugins/cms/entries/entry-create.ts";
import { markOf } from "../../../src/plugins/cms/portable/marks.ts";
import { dropAbandoned, IMPORT_RETENTION_MS } from "../../../src/plugins/cms/portable/settle-import.ts";
import { publishDue } from "../../../src/plugins/cms/schedule/due.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { find } from "../../../src/plugins/cms/tools/find.ts";
import { navEdit } from "../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { pageUpdate } from "../../../src/plugins/cms/tools/pages.ts";
import { sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import type { SiteAnswer } from "../../../src/plugins/cms/protocol/answers.ts";
import { FORMAT_VERSION, kindOf, MEMBER_BYTES_MAX } from "../../../src/plugins/cms/protocol/site-file.ts";
import { call, contextOf, rows, services } from "../cms/fixture.ts";
import { verdictOf } from "../http/routes-fixture.ts";
import { NOW, openSite } from "./fixture.ts";
import {
  begin,
  contentOf,
  doors,
  exported,
  finish,
  imported,
  manifestOf,
  membersIn,
  partsOf,
  progress,
  sealed,
  sealOf,
  send,
  type Member,
} from "./portable-fixture.ts";

/** A site out and in as one file. */

const site = openSite();
const COUNTED = [
  "pages",
  "sections",
  "contents",
  "entries",
  "nav_items",
  "settings",
  "published_docs",
  "redirects",
  "images",
  "image_variants",
  "asset_refs",
  "search_docs",
  "locales",
  "collections",
  "environments",
  "operations",
  "revisions",
];
const counted = async (): Promise<unknown> =>
  Promise.all(COUNTED.map((table) => rows(`SELECT '${table}' AS of, count(*) AS count FROM ${table}`)));
const idOf = async (response: Response): Promise<string> =>
  (await response.json<SiteAnswer<"SiteImport">>()).id;
const replaced = (members: readonly Member[], at: number, bytes: Uint8Array): Member[] =>
  members.map((one, n) => (n === at ? { ...one, bytes } : one));
const flipped = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((byte, n) => (n === at ? byte ^ 1 : byte));

let file: Uint8Array;
let members: Member[];

/** The sample, with what a site in use has: drafts, words in German, a page that was renamed, a post at a time. */
beforeAll(async () => {
  await ensureSeeded(env, NOW - 1_000);
  const { page } = await call<{ page: { id: string } }>(pageCreate, {
    name: "Über uns",
    slug: "ueber-uns",
    sections: [
      { template: "hero", content: { title: "Wir sind „wir“", ctaText: "Weg", ctaLink: "page:about" } },
      {
        template: "feature",
        content: { heading: "See", description: "[the start](page:home) ![x](image:im_ridge)" },
      },
    ],
  });
  await call(setStatus, { targets: [{ type: "page", ref: page.id }], to: "published" });
  await call(pageUpdate, { page: page.id, slug: "wir" });
  await call(navEdit, { ops: [{ op: "add", location: "footer", label: "Wir", target: `page:${page.id}` }] });
  await call(sectionUpdate, { section: "sc_home_hero", content: { title: "Los geht’s" }, locale: "de" });
  await call(entryCreate, {
    title: "Draft with an ü",
    content: { body: "To [it](page:wir), e\u0301 and ![ridge](image:im_ridge)" },
    excerpt: "x",
    cover: "im_ridge",
  });
  await call(entryCreate, { title: "Later", content: { body: "Later." }, excerpt: "x" });
  await call(setStatus, {
    targets: [{ type: "entry", ref: "blog/later" }],
    to: "published",
    at: new Date(NOW + 3_600_000).toISOString(),
  });
  file = await exported();
  members = membersIn(file);
}, 60_000);

describe("a file", () => {
  test("is a tar file whose seal is that of all its members", async () => {
    expect(sealOf(members)).toEqual(await sealed(partsOf(members)));
    const { counts } = manifestOf(members);
    expect([counts.pages, counts.locales, counts.redirects]).toEqual([5, 2, 1]);
    expect(members.map((one) => one.name.split("/")[0])).toEqual(
      expect.arrayContaining(["site.json", "base.ndjson", "pages", "images", "seal.json"]),
    );
  });

  test("goes on behind any of its members, byte for byte", async () => {
    const parts = partsOf(members);
    let at = 0;
    for (const [n, { name, bytes }] of parts.entries()) {
      at += 512 + Math.ceil(bytes.length / 512) * 512;
      if (n > 0 && kindOf(parts[n - 1]?.name ?? "") === kindOf(name)) continue;
      const seal = await sealed(parts.slice(0, n + 1));
      const query = new URLSearchParams({
        after: name,
        members: String(seal.members),
        bytes: String(seal.bytes),
        digest: seal.digest,
        state: manifestOf(members).state,
      });
      const rest = await exported(`?${query.toString()}`);
      expect([name, rest.length]).toEqual([name, file.length - at]);
      expect(rest).toEqual(file.subarray(at));
    }
  }, 180_000);

  test("is not gone on with after a write, and one half of it is refused", async () => {
    const query = (state: string) =>
      `?after=base.ndjson&members=2&bytes=9&digest=${"0".repeat(64)}&state=${state}`;
    expect(await verdictOf(await doors.call(`/api/cms/export${query("0.0.0")}`))).toEqual([
      409,
      "site_changed",
    ]);
    expect(await verdictOf(await doors.call("/api/cms/export?after=base.ndjson"))).toEqual([
      400,
      "invalid_request",
    ]);
  });

  test("of a site that is written to meanwhile has no seal", async () => {
    const response = await doors.call("/api/cms/export", { who: "admin" });
    // The first of it is read before the write, the rest after it.
    const reader = response.body?.getReader();
    const pieces: Uint8Array[] = [];
    for (let n = 0; ; n++) {
      const next = await reader?.read();
      if (next === undefined || next.done) break;
      pieces.push(next.value);
      if (n === 1) await env.DB.prepare("UPDATE environments SET epoch=epoch+1 WHERE id='env_main'").run();
    }
    const whole = new Uint8Array(await new Blob(pieces).arrayBuffer());
    expect(membersIn(whole).map((one) => one.name)).not.toContain("seal.json");
    await env.DB.prepare("UPDATE environments SET epoch=epoch-1 WHERE id='env_main'").run();
  });

  test("shows no site to whom it is not shared with", async () => {
    await createEnvironment(
      { ...services, env: "env_secret", assets: env.ASSETS },
      { siteId: "site_main", name: "secret", members: [] },
      "root",
      NOW,
    );
    expect(await verdictOf(await doors.call("/api/cms/export?environment=env_secret"))).toEqual([
      404,
      "not_found",
    ]);
    expect((await doors.call("/api/cms/export?environment=env_secret", { who: "admin" })).status).toBe(200);
  });
});

describe("a site that comes in", () => {
  test("is what it was, its parts sent backwards and twice", async () => {
    const count = partsOf(members).length;
    const backwards = Array.from({ length: count }, (_, at) => count - at);
    const done = await imported(members, "copy", [...backwards, 1, 2, count]);
    expect([done.status, await done.json()]).toMatchObject([
      200,
      { state: "done", environment: { id: "env_copy", path: "/site/~env_copy/" } },
    ]);
    const after = membersIn(await exported("?environment=env_copy"));
    expect(contentOf(after)).toEqual(contentOf(members));
    // A copy of a copy is no longer by a mark on each id.
    expect((await imported(after, "copy-2")).status).toBe(200);
    expect(contentOf(membersIn(await exported("?environment=env_copy-2")))).toEqual(contentOf(members));
  });

  test("is served, found, listed in the history and published at its times", async () => {
    expect((await site.fetch("/site/~env_copy/wir")).status).toBe(200);
    expect(
      (await site.fetch("/site/~env_copy/ueber-uns", { redirect: "manual" })).headers.get("location"),
    ).toBe("/site/~env_copy/wir");
    const there = contextOf({ services: { ...services, env: "env_copy" } });
    const { items } = await call<{ items: { id: string }[] }>(find, { query: "Draft with an ü" }, there);
    expect(items[0]?.id.endsWith(markOf("env_copy"))).toBe(true);
    const [operation] = await rows<{ tool: string; actor: string }>(
      "SELECT tool, actor, summary FROM operations WHERE env_id='env_copy'",
    );
    expect(operation).toMatchObject({ tool: "import", actor: "user:root" });
    const due = await publishDue(env.DB, NOW + 7_200_000);
    expect(due.map((one) => [one.env, one.became]).toSorted()).toEqual([
      ["env_copy", "published"],
      ["env_copy-2", "published"],
      ["env_main", "published"],
    ]);
  });

  test("is taken once: the same file again is the same import, another one finds the name taken", async () => {
    const before = await counted();
    const again = await imported(members, "copy");
    expect(await again.json()).toMatchObject({ state: "done" });
    const forged = await sealed(partsOf(members).slice(1));
    expect(await verdictOf(await begin("copy", manifestOf(members), forged))).toEqual([409, "id_taken"]);
    expect(await counted()).toEqual(before);
  });

  test("does not replace a site that somebody has worked on", async () => {
    expect(await verdictOf(await imported(members, null))).toEqual([409, "site_not_empty"]);
  });

  test("is for admins", async () => {
    const response = await doors.call("/api/cms/imports", {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    expect(await verdictOf(response)).toEqual([403, "missing_scope"]);
  });
});

describe("an import is refused as a whole", () => {
  test("if the file lacks its last parts, at every length", async () => {
    const before = await counted();
    const parts = partsOf(members);
    const id = await idOf(await begin("cut", manifestOf(members), sealOf(members)));
    for (const [at, part] of parts.slice(0, -1).entries()) {
      expect((await send(id, at + 1, part)).status).toBe(200);
      const response = await finish(id);
      expect([response.status, await response.json()]).toMatchObject([
        409,
        { error: { code: "parts_missing" }, missing: [[at + 2, parts.length]] },
      ]);
    }
    expect(await progress(id)).toMatchObject({ received: parts.length - 1, state: "receiving" });
    expect(await counted()).toEqual(before);
    // Gone on with, it is whole.
    const last = parts.at(-1);
    if (last === undefined) throw new Error("a site has parts");
    await send(id, parts.length, last);
    expect((await finish(id)).status).toBe(200);
  });

  test("if a byte is flipped, in any member, on the way or in the file", async () => {
    const before = await counted();
    const parts = partsOf(members);
    const objects = async () => (await env.MEDIA.list({ limit: 1_000 })).objects.length;
    const stored = await objects();
    for (const [at, part] of parts.entries()) {
      // One of each kind.
      if (at > 0 && kindOf(parts[at - 1]?.name ?? "") === kindOf(part.name)) continue;
      const bytes = flipped(part.bytes, part.bytes.length >> 1);
      const name = `flip-${at}`;
      const id = await idOf(await begin(name, manifestOf(members), sealOf(members)));
      const onTheWay = await send(id, at + 1, { ...part, bytes }, await digestOf(part.bytes));
      expect(await verdictOf(onTheWay)).toEqual([400, "damaged_part"]);
      const inTheFile = await importedUnder(name, replaced(parts, at, bytes));
      expect([at, ...(await verdictOf(inTheFile))]).toEqual([
        at,
        400,
        expect.stringMatching(/^damaged(_part)?$/),
      ]);
      await doors.call(`/api/cms/imports/${id}`, { method: "DELETE", who: "admin" });
    }
    expect(await counted()).toEqual(before);
    expect(await objects()).toBe(stored);
    expect((await site.fetch("/site/~env_flip-1/")).status).toBe(404);
  }, 120_000);

  test("if its lines are not of a site, though sealed", async () => {
    const before = await counted();
    const at = members.findIndex((one) => one.name.startsWith("pages/"));
    const text = new TextDecoder().decode(members[at]?.bytes);
    const forged = [
      text.replace('"version":1', '"version":"1"'),
      text.replace("{", ""),
      text.replace('"template":"hero"', '"template":"unheard-of"'),
      text.replace('"kind":"page"', '"kind":"page","more":1'),
      text
        .replace(/"kind":"page","id"/, '"kind":"page","id"')
        .split("\n")
        .slice(1)
        .join("\n"),
      text.replace(/"pageId":"[^"]+"/, '"pageId":"pg_nowhere"'),
      text.trimEnd(),
      text.replace(/"ctaLink":\{[^}]+\}/, '"ctaLink":{"kind":"url","url":"javascript:alert(1)"}'),
    ];
    for (const [n, lines] of forged.entries()) {
      expect([n, lines === text]).toEqual([n, false]);
      const parts = replaced(members, at, new TextEncoder().encode(lines));
      // Images are looked at last.
      const rest = parts.filter((one) => kindOf(one.name) !== "images");
      const response = await imported(rest, `forged-${n}`);
      expect([n, ...(await verdictOf(response))]).toEqual([n, 400, "damaged"]);
    }
    expect(await counted()).toEqual(before);
  });

  test("if it has another version, a part that is too large, an unknown member or an invalid number", async () => {
    const manifest = { ...manifestOf(members), version: FORMAT_VERSION + 1 };
    expect(await verdictOf(await begin("newer", manifest, sealOf(members)))).toEqual([400, "unknown_format"]);
    const id = await idOf(await begin("large", manifestOf(members), sealOf(members)));
    const [first, second] = members;
    if (first === undefined || second === undefined) throw new Error("a site has members");
    const large = { ...second, bytes: new Uint8Array(MEMBER_BYTES_MAX + 1) };
    expect((await send(id, 2, large)).status).toBe(413);
    expect(await verdictOf(await send(id, 2, { ...second, name: "../x" }))).toEqual([400, "invalid_request"]);
    expect(await verdictOf(await send(id, 2, first))).toEqual([400, "damaged_part"]);
    expect((await send(id, 9_999, second)).status).toBe(404);
    expect((await send("si_none", 2, second)).status).toBe(404);
    expect((await send(id, 2, second)).status).toBe(200);
    const other = { ...second, bytes: new TextEncoder().encode("{}\n") };
    expect(await verdictOf(await send(id, 2, other))).toEqual([409, "part_taken"]);
  });

  test("if its ids are taken", async () => {
    const before = await counted();
    const id = `pg_about${markOf("env_held")}`;
    await env.DB.prepare(
      `INSERT INTO pages(id,env_id,slug,name,created_at,updated_at) VALUES('${id}','env_main','held','Held',1,1)`,
    ).run();
    const held = await rows(`SELECT * FROM pages WHERE id='${id}'`);
    expect(await verdictOf(await imported(members, "held"))).toEqual([409, "ids_taken"]);
    expect(await rows(`SELECT * FROM pages WHERE id='${id}'`)).toEqual(held);
    await env.DB.prepare(`DELETE FROM pages WHERE id='${id}'`).run();
    expect(await counted()).toEqual(before);
  });

  test("and dropped if it is idle for a week, so that it can start again", async () => {
    const id = await idOf(await begin("slow", manifestOf(members), sealOf(members)));
    const [first] = members;
    if (first === undefined) throw new Error("a site has members");
    await send(id, 1, first);
    for (;;) if ((await dropAbandoned(env.DB, env.MEDIA, NOW + IMPORT_RETENTION_MS + 1)) === null) break;
    expect(await progress(id)).toMatchObject({ state: "refused", received: 0 });
    expect((await env.MEDIA.list({ prefix: "imports/" })).objects).toEqual([]);
    expect((await imported(members, "slow")).status).toBe(200);
  });
});

const digestOf = async (bytes: Uint8Array): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
};

/** With the seal of the file as it should be: what a damaged copy of it has. */
async function importedUnder(name: string, parts: readonly Member[]): Promise<Response> {
  const id = await idOf(await begin(name, manifestOf(members), sealOf(members)));
  for (const [at, part] of parts.entries()) {
    const sent = await send(id, at + 1, part);
    if (!sent.ok) return sent;
  }
  return finish(id);
}
