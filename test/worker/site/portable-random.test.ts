import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { entryCreate } from "../../../src/plugins/cms/entries/entry-create.ts";
import { markOf } from "../../../src/plugins/cms/portable/marks.ts";
import { ensureSeeded, forgetSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { navEdit } from "../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { rendering } from "../../../src/plugins/cms/renderer/rendering.ts";
import type { SiteAnswer } from "../../../src/plugins/cms/protocol/answers.ts";
import { call, contextOf, emptySite, rows, services } from "../cms/fixture.ts";
import { made, photos, pick, type Act } from "../cms/history/acts.ts";
import { Chance } from "../../sim/platform/chance.ts";
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
  sealOf,
  send,
  type Member,
} from "./portable-fixture.ts";

/** Whatever site goes out comes in as the same site; and whatever is done to its file, it is that site or none. */

const site = openSite({ render: rendering });
const ACTS_OF_A_SITE = 40;
const SEEDS = [1, 2, 3];
const TIME_MS_MAX = 240_000;

/** Words that have broken formats before: quotes, signs of markup and of directions, more than two bytes, two code points. */
const ODD = [
  "Quotes \"'`´ and \\\\ back",
  "e\u0301 is not é, ﬁ is one",
  "👩‍👩‍👧 family, 𝒳 beyond the plane",
  "مرحبا بالعالم (rtl)",
  "<b>&amp; {{name}} $1 %00 %s",
  "image:im_ridge page:about im_x pg_y",
  "谷の地図 — ЁЖИК",
];

/** A page with texts in two languages that are odd, lists within it, and an entry of its navigation below another one. */
async function odd(chance: Chance, n: number): Promise<Act> {
  const word = (): string => `${pick(chance, ODD)} ${n}`;
  const sections = await rows<{ id: string }>(
    "SELECT id FROM sections WHERE template_key='hero' AND deleted_at IS NULL ORDER BY id",
  );
  const pages = await rows<{ id: string }>(
    "SELECT id FROM pages WHERE kind='page' AND deleted_at IS NULL ORDER BY id",
  );
  const items = await rows<{ id: string }>(
    "SELECT id FROM nav_items WHERE parent_id IS NULL AND deleted_at IS NULL ORDER BY id",
  );
  const acts: (() => Act)[] = [
    () => [
      pageCreate,
      {
        name: word(),
        slug: `odd-${n}`,
        sections: [
          { template: "hero", content: { title: word(), subtitle: word() } },
          {
            template: "feature",
            content: {
              heading: word(),
              description: `${word()}\n\n- [x](page:about) ![y](image:im_ridge)\n`,
              items: [{ title: word(), icon: "im_ridge" }, { title: word() }],
            },
          },
        ],
      },
    ],
    () => [sectionUpdate, { section: pick(chance, sections).id, locale: "de", content: { title: word() } }],
    () => [
      navEdit,
      {
        ops: [
          {
            op: "add",
            location: "header",
            label: word(),
            parent: pick(chance, items).id,
            target: `page:${pick(chance, pages).id}`,
          },
        ],
      },
    ],
    () => [entryCreate, { title: word(), content: { body: `${word()}\n\n> ${word()}` }, excerpt: word() }],
    () => [setStatus, { targets: [{ type: "page", ref: pick(chance, pages).id }], to: "published" }],
  ];
  return pick(chance, acts)();
}

/** Performs an act; false if it is refused. */
async function done([tool, args]: Act): Promise<boolean> {
  try {
    await call(tool, args, contextOf({ services: { ...services, web: photos } }));
    return true;
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}

async function makeRandom(seed: number): Promise<Chance> {
  const chance = new Chance(seed);
  for (let n = 1, count = 0; count < ACTS_OF_A_SITE && n < 4 * ACTS_OF_A_SITE; n += 1) {
    const act = chance.once(3) ? await odd(chance, seed * 1_000 + n) : await made(chance, seed * 1_000 + n);
    if (act !== null && (await done(act))) count += 1;
  }
  return chance;
}

beforeEach(async () => {
  await emptySite();
  await env.DB.batch(
    ["site_import_parts", "site_imports"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  );
  forgetSeeded();
  await ensureSeeded(env, NOW - 1_000);
});

/** Where visitors may go: pages and entries in all languages, lists, and addresses of before. */
async function addresses(): Promise<string[]> {
  const own = [
    "SELECT doc->>'slug' AS path FROM published_docs WHERE owner_type='page' AND doc->>'kind'='page' AND env_id='env_main'",
    "SELECT slug AS path FROM pages WHERE env_id='env_main' AND kind='page'",
    `SELECT c.slug||'/'||(d.doc->>'slug') AS path FROM published_docs d JOIN collections c ON c.id=d.doc->>'collection'
      WHERE d.env_id='env_main'`,
    "SELECT slug||'/' AS path FROM collections WHERE env_id='env_main'",
    "SELECT substr(from_path,7) AS path FROM redirects WHERE env_id='env_main'",
  ];
  const found = await Promise.all(own.map((sql) => rows<{ path: string }>(sql)));
  const paths = [...new Set(["", ...found.flat().map((row) => row.path)])].toSorted();
  const locales = await rows<{ code: string }>(
    "SELECT code FROM locales WHERE env_id='env_main' AND is_default=0 ORDER BY code",
  );
  return paths.flatMap((path) => [path, ...locales.map(({ code }) => `${code}/${path}`)]);
}

/** Response that a visitor gets there, with paths rewritten to those of the deployment's own site. */
async function met(environment: string | null, path: string): Promise<unknown> {
  const root = environment === null ? "/site/" : `/site/~${environment}/`;
  const response = await site.fetch(root + path, { redirect: "manual" });
  const own = (text: string): string =>
    environment === null
      ? text
      : text
          .replaceAll(root, "/site/")
          .replaceAll(`/media/${environment}/`, "/media/env_main/")
          .replaceAll(markOf(environment), "");
  return [response.status, own(response.headers.get("location") ?? ""), own(await response.text())];
}

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
  "site_counts",
];
const counted = async (): Promise<unknown> =>
  Promise.all(COUNTED.map((table) => rows(`SELECT '${table}' AS of, count(*) AS count FROM ${table}`)));

const DAMAGES = 12;
const REFUSED = expect.stringMatching(/^(damaged|damaged_part|parts_missing)$/);

/** Sends a file that was cut or altered somewhere, under the seal that it had; says how it was refused, and gives it up. */
async function damagedOnce(
  chance: Chance,
  members: readonly Member[],
  name: string,
): Promise<{ readonly how: string; readonly code: string }> {
  const parts = partsOf(members);
  const at = pick(
    chance,
    [...parts.keys()].filter((n) => (parts[n]?.bytes.length ?? 0) > 0),
  );
  const { bytes } = parts[at] ?? { bytes: new Uint8Array() };
  const place = chance.below(bytes.length);
  const other = (altered: Uint8Array): Member[] =>
    parts.map((one, n) => (n === at ? { ...one, bytes: altered } : one));
  const forms = {
    "cut within a member": () => [
      ...parts.slice(0, at),
      { name: parts[at]?.name ?? "", bytes: bytes.slice(0, place) },
    ],
    "cut behind a member": () => parts.slice(0, at),
    "a bit of it": () => other(bytes.map((byte, n) => (n === place ? byte ^ (1 << chance.below(8)) : byte))),
    "a byte less": () => other(Uint8Array.from([...bytes.slice(0, place), ...bytes.slice(place + 1)])),
    "a member for its neighbour": () =>
      parts.map((one, n) => parts[n === at ? (at + 1) % parts.length : n] ?? one),
  } satisfies Record<string, () => readonly Member[]>;
  const how = pick(chance, Object.keys(forms) as (keyof typeof forms)[]);
  const response = await begin(name, manifestOf(members), sealOf(members));
  const { id } = await response.json<SiteAnswer<"SiteImport">>();
  const refused = async (): Promise<Response> => {
    for (const [n, part] of forms[how]().entries()) {
      const sent = await send(id, n + 1, part);
      if (!sent.ok) return sent;
    }
    return finish(id);
  };
  const [, code] = await verdictOf(await refused());
  await doors.call(`/api/cms/imports/${id}`, { method: "DELETE", who: "admin" });
  return { how: `${how}, ${parts[at]?.name} at ${place}`, code: code ?? "taken" };
}

describe.each(SEEDS)("a random site (seed %i)", (seed) => {
  test(
    "comes in as it went out: as a file, and to visitors",
    async () => {
      await makeRandom(seed);
      const members = membersIn(await exported());
      expect((await imported(members, "copy")).status).toBe(200);
      expect(contentOf(membersIn(await exported("?environment=env_copy")))).toEqual(contentOf(members));
      const paths = await addresses();
      expect(paths.length).toBeGreaterThan(10);
      const statuses = new Set<unknown>();
      for (const path of paths) {
        const before = await met(null, path);
        expect([path, await met("env_copy", path)]).toEqual([path, before]);
        statuses.add(Array.isArray(before) ? before[0] : null);
      }
      expect(statuses).toContain(200);
    },
    TIME_MS_MAX,
  );

  test(
    "is refused whole where its file is cut or altered, wherever that is",
    async () => {
      const chance = await makeRandom(seed);
      const members = membersIn(await exported());
      const parts = partsOf(members);
      const before = await counted();
      const refusals = new Set<string>();
      for (let n = 0; n < DAMAGES; n++) {
        const { how, code } = await damagedOnce(chance, members, `try-${n}`);
        refusals.add(code);
        expect([n, how, code, await counted()]).toEqual([n, how, REFUSED, before]);
      }
      expect(refusals.size).toBeGreaterThan(1);
      // The same parts unharmed are taken: it was the damage that was refused.
      expect((await imported(parts, "whole")).status).toBe(200);
    },
    TIME_MS_MAX,
  );
});
