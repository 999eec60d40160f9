import * as z from "zod";
import { originalKey } from "../media/library.ts";
import type { CmsServices } from "../model/types.ts";
import { loadNav, loadPages, loadPublished, loadEntries } from "../storage/load.ts";
import { batchOf, rowsOf } from "../storage/rows.ts";
import {
  contentsByOwner,
  number,
  numberOrNull,
  objectIn,
  oneOf,
  text,
  textOrNull,
  type Row,
} from "../model/columns.ts";
import { collectionOf, imageOf, localeOf, redirectOf, settingOf } from "../model/tables.ts";
import { markOf, portablePath, withoutMarks } from "./marks.ts";
import { IMAGE_TYPES, lineOf, type Metadata, type SiteRecord, type Variant } from "./records.ts";

/**
 * Reads a site in members, each of them complete in memory and only one at a time. A member's name locates the next
 * one, so reading can continue after any of them. Softly deleted rows, change sets and the history are left out.
 */

export interface Member {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** what reading it has cost, in queries and reads of the bucket */
  readonly reads: number;
}

/** things of one member at most, and about so many bytes of them */
const THINGS_PER_MEMBER_MAX = 60;
const MEMBER_BYTES_GOAL = 400_000;
const REDIRECTS_PER_MEMBER = 1_000;
const IMAGES_PER_QUERY = 100;
const READS_OF_ROWS = 7;

/** The members behind `after`, without manifest and seal; all of them where it is null. */
export async function* membersOf(
  services: CmsServices,
  media: R2Bucket | null,
  after: string | null,
): AsyncGenerator<Member> {
  const steps = [base, library, pages, entries, navigation, redirects, published] as const;
  const names = ["base", "library", "pages", "entries", "navigation", "redirects", "published"];
  const [kind = "", target = ""] = after === null ? [] : after.replace(/\.ndjson$/, "").split("/", 2);
  const begun = kind === "images" ? names.length : names.indexOf(kind);
  for (const [at, step] of steps.entries()) {
    if (at < begun) continue;
    if (at === begun && (kind === "base" || kind === "navigation")) continue;
    yield* step(services, at === begun ? target : "");
  }
  yield* images(services, media, kind === "images" ? (after ?? "") : "");
}

function memberOf({ env }: CmsServices, name: string, records: readonly SiteRecord[]): Member {
  const text = withoutMarks(records.map(lineOf).join(""), env);
  return {
    name: `${withoutMarks(name, env)}.ndjson`,
    bytes: new TextEncoder().encode(text),
    reads: READS_OF_ROWS,
  };
}

async function* base(services: CmsServices): AsyncGenerator<Member> {
  const { env } = services;
  const [locales = [], settings = [], collections = []] = await batchOf(services, [
    ["SELECT * FROM locales WHERE env_id=?1 ORDER BY code", env],
    ["SELECT key, value, version, updated_at FROM settings WHERE env_id=?1 ORDER BY key", env],
    ["SELECT * FROM collections WHERE env_id=?1 AND deleted_at IS NULL ORDER BY slug", env],
  ]);
  yield memberOf(services, "base", [
    ...locales.map((row): SiteRecord => ({ type: "locale", locale: localeOf(row) })),
    ...settings.map((row): SiteRecord => ({ type: "setting", setting: settingOf(row) })),
    ...collections.map((row): SiteRecord => ({
      type: "collection",
      collection: { ...collectionOf(row), ...LIVE },
    })),
  ]);
}

/** Things of a table behind a place, in the order of their ids, as many as make a member. */
interface Listed {
  /** rows of `key`, which names the thing in its kind, and of its `id`; by `?1` environment, `?2` the key before */
  readonly ids: string;
  /** whether the key `?2` is one of the environment `?1` */
  readonly has: string;
  /** about how many bytes the thing `t.id` has */
  readonly bytes: string;
}

const ofTable = (table: string): Pick<Listed, "ids" | "has"> => ({
  // By their ids alone: an index of the environment would have all of its things sorted for each member.
  ids: `SELECT id AS key, id FROM ${table} WHERE +env_id=?1 AND deleted_at IS NULL AND id>?2`,
  has: `SELECT 1 FROM ${table} WHERE id=?2 AND env_id=?1`,
});
const contentBytes = (owner: string, of: string): string =>
  `(SELECT coalesce(sum(length(c.data)),0) FROM contents c WHERE c.owner_type='${owner}' AND c.owner_id=${of})`;
/** A key such as `page-pg_about`, as the two columns that it is made of. */
const OWNER = "(substr(?2,1,max(0,instr(?2,'-')-1)), substr(?2,instr(?2,'-')+1))";

const LISTED = {
  library: { ...ofTable("images"), bytes: "2000" },
  pages: {
    ...ofTable("pages"),
    bytes: `500+${contentBytes("page", "t.id")}+(SELECT coalesce(sum(400+${contentBytes("section", "s.id")}),0)
      FROM sections s WHERE s.page_id=t.id AND s.deleted_at IS NULL)`,
  },
  entries: { ...ofTable("entries"), bytes: `500+${contentBytes("entry", "t.id")}` },
  published: {
    ids: `SELECT owner_type||'-'||owner_id AS key, owner_id AS id FROM published_docs
      WHERE env_id=?1 AND (owner_type,owner_id)>${OWNER}`,
    has: `SELECT 1 FROM published_docs WHERE env_id=?1 AND (owner_type,owner_id)=${OWNER}`,
    bytes:
      "(SELECT sum(length(d.doc)) FROM published_docs d WHERE d.owner_type IN('page','entry') AND d.owner_id=t.id)",
  },
} as const satisfies { readonly [kind: string]: Listed };

/**
 * The members of a kind whose things have IDs. They are in the order of the IDs in the database: no ID is a prefix of
 * another one, so a suffix does not change the order.
 */
async function* byId(
  services: CmsServices,
  kind: keyof typeof LISTED,
  target: string,
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, SiteRecord>>,
): AsyncGenerator<Member> {
  const { ids: sql, has, bytes: size } = LISTED[kind];
  const order = kind === "published" ? "owner_type, owner_id" : "id";
  // A place is of the file: the thing may have a mark here.
  const marked = target + markOf(services.env);
  const known = target === "" ? [] : await rowsOf(services, has, services.env, marked);
  let after = known.length > 0 ? marked : target;
  for (;;) {
    const rows = await rowsOf(
      services,
      `SELECT t.key, t.id, ${size} AS bytes FROM (${sql} ORDER BY ${order} LIMIT ${THINGS_PER_MEMBER_MAX}) t`,
      services.env,
      after,
    );
    const taken: Row[] = [];
    let bytes = 0;
    for (const row of rows) {
      bytes += number(row, "bytes");
      if (taken.length > 0 && bytes > MEMBER_BYTES_GOAL) break;
      taken.push(row);
    }
    const last = taken.at(-1);
    if (last === undefined) return;
    after = text(last, "key");
    const found = await read(taken.map((row) => text(row, "id")));
    yield memberOf(
      services,
      `${kind}/${after}`,
      taken.flatMap((row) => found.get(text(row, "id")) ?? []),
    );
  }
}

const metadataSchema = z.array(z.string());

async function* library(services: CmsServices, target: string): AsyncGenerator<Member> {
  yield* byId(services, "library", target, async (ids) => {
    const set = JSON.stringify(ids);
    const chosen = "IN (SELECT value FROM json_each(?1))";
    const [rows = [], contents = [], known = [], renditions = []] = await batchOf(services, [
      [`SELECT * FROM images WHERE id ${chosen}`, set],
      [`SELECT * FROM contents WHERE owner_type='image' AND owner_id ${chosen} ORDER BY locale`, set],
      [`SELECT * FROM image_metadata WHERE status IN('done','skipped') AND image_id ${chosen}`, set],
      [`SELECT * FROM image_variants WHERE image_id ${chosen} ORDER BY width, format`, set],
    ]);
    const texts = contentsByOwner(contents);
    return new Map(
      rows.map((row): [string, SiteRecord] => {
        const id = text(row, "id");
        const metadata = known.find((one) => one.image_id === id);
        const { mediaType, ...image } = imageOf(row, texts.get(`image:${id}`));
        return [
          id,
          {
            type: "image",
            image: { ...image, mediaType: imageType(mediaType), ...LIVE },
            metadata: metadata === undefined ? null : metadataOf(metadata),
            variants: renditions.filter((one) => one.image_id === id).map(variantOf),
          },
        ];
      }),
    );
  });
}

/** Deleted rows are not exported. */
const LIVE = { deletedAt: null } as const;

const imageTypeSchema = z.enum(Object.keys(IMAGE_TYPES) as (keyof typeof IMAGE_TYPES)[]);
const imageType = (type: string): keyof typeof IMAGE_TYPES => imageTypeSchema.parse(type);

function metadataOf(row: Row): Metadata {
  return {
    status: oneOf(row, "status", ["done", "skipped"]),
    description: text(row, "description"),
    tags: metadataSchema.parse(JSON.parse(text(row, "tags"))),
    detail: objectIn(row, "detail"),
    model: textOrNull(row, "model"),
    generatedAt: numberOrNull(row, "generated_at"),
  };
}

const variantOf = (row: Row): Variant => ({
  width: number(row, "width"),
  format: text(row, "format"),
  height: numberOrNull(row, "height"),
  byteSize: number(row, "byte_size"),
});

async function* pages(services: CmsServices, target: string): AsyncGenerator<Member> {
  yield* byId(services, "pages", target, async (ids) => {
    const found = await loadPages(services, ids);
    return new Map(
      found.map(({ page, sections }): [string, SiteRecord] => [
        page.id,
        {
          type: "page",
          page: { ...page, ...LIVE },
          sections: sections.map((one) => ({ ...one, ...LIVE })),
        },
      ]),
    );
  });
}

async function* entries(services: CmsServices, target: string): AsyncGenerator<Member> {
  yield* byId(services, "entries", target, async (ids) => {
    const found = await loadEntries(services, ids);
    const covers = await rowsOf(
      services,
      "SELECT id FROM images WHERE deleted_at IS NULL AND id IN (SELECT value FROM json_each(?1))",
      JSON.stringify(found.flatMap(({ cover }) => cover ?? [])),
    );
    const live = new Set(covers.map((row) => text(row, "id")));
    return new Map(
      found.map((entry): [string, SiteRecord] => {
        // One that is deleted is not in the file, and shows nothing.
        const cover = entry.cover !== null && live.has(entry.cover) ? entry.cover : null;
        return [entry.id, { type: "entry", entry: { ...entry, cover, ...LIVE } }];
      }),
    );
  });
}

async function* navigation(services: CmsServices): AsyncGenerator<Member> {
  const items = await loadNav(services);
  const known = new Set(items.map((one) => one.id));
  const records = items.map((item): readonly [string, SiteRecord] => {
    // A child of a deleted item moves to the top level.
    const parentId = item.parentId !== null && known.has(item.parentId) ? item.parentId : null;
    const key = withoutMarks(item.id, services.env);
    return [key, { type: "navigation", item: { ...item, parentId, ...LIVE } }];
  });
  yield memberOf(
    services,
    "navigation",
    records.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record),
  );
}

async function* redirects(services: CmsServices, target: string): AsyncGenerator<Member> {
  let after = "";
  let from = 0;
  if (target !== "") {
    from = Number(target) + REDIRECTS_PER_MEMBER;
    // A path does not fit in a member's name, so its number is there instead: it is counted once for a response.
    const [last] = await rowsOf(
      services,
      "SELECT from_path FROM redirects WHERE env_id=?1 ORDER BY from_path LIMIT 1 OFFSET ?2",
      services.env,
      from - 1,
    );
    if (last === undefined) return;
    after = text(last, "from_path");
  }
  for (; ; from += REDIRECTS_PER_MEMBER) {
    const rows = await rowsOf(
      services,
      `SELECT * FROM redirects WHERE env_id=?1 AND from_path>?2 ORDER BY from_path LIMIT ${REDIRECTS_PER_MEMBER}`,
      services.env,
      after,
    );
    const end = rows.at(-1);
    if (end === undefined) return;
    after = text(end, "from_path");
    yield memberOf(
      services,
      `redirects/${String(from).padStart(8, "0")}`,
      rows.map((row): SiteRecord => {
        const redirect = redirectOf(row);
        const fromPath = portablePath(redirect.fromPath, services.env);
        return { type: "redirect", redirect: { ...redirect, fromPath } };
      }),
    );
  }
}

async function* published(services: CmsServices, target: string): AsyncGenerator<Member> {
  yield* byId(services, "published", target, async (ids) => {
    const found = await loadPublished(services, ids);
    return new Map(
      [...found].map(([id, row]): [string, SiteRecord] => [id, { type: "published", published: row }]),
    );
  });
}

/** The bytes of the images and of their renditions, by the digest of each. One that the bucket has lost is an empty member. */
async function* images(
  services: CmsServices,
  media: R2Bucket | null,
  target: string,
): AsyncGenerator<Member> {
  let after = target.split("/")[1] ?? "";
  // Those of the image at this place, too: it may have renditions behind it.
  let compare = ">=";
  for (;;) {
    const [rows = [], renditions = []] = await batchOf(services, [
      [
        `SELECT id, sha256, ext FROM images WHERE env_id=?1 AND deleted_at IS NULL AND sha256${compare}?2
          ORDER BY sha256 LIMIT ${IMAGES_PER_QUERY}`,
        services.env,
        after,
      ],
      [
        `SELECT i.sha256, v.width, v.format, v.r2_key FROM image_variants v JOIN images i ON i.id=v.image_id
          WHERE i.env_id=?1 AND i.deleted_at IS NULL AND i.sha256${compare}?2 AND i.sha256 IN
           (SELECT sha256 FROM images WHERE env_id=?1 AND deleted_at IS NULL AND sha256${compare}?2 ORDER BY sha256 LIMIT ${IMAGES_PER_QUERY})`,
        services.env,
        after,
      ],
    ]);
    if (rows.length === 0) return;
    for (const row of rows) {
      const [sha256, ext] = [text(row, "sha256"), text(row, "ext")];
      const files = [
        { name: `orig.${ext}`, key: originalKey(services.env, { sha256, ext }) },
        ...renditions
          .filter((one) => one.sha256 === sha256)
          .map((one) => ({
            name: `w${number(one, "width")}.${text(one, "format")}`,
            key: text(one, "r2_key"),
          })),
      ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
      for (const { name, key } of files) {
        const path = `images/${sha256}/${name}`;
        if (path <= target.replace(/\.missing$/, "")) continue;
        const object = media === null ? null : await media.get(key);
        const bytes = object === null ? new Uint8Array() : new Uint8Array(await object.arrayBuffer());
        yield { name: object === null ? `${path}.missing` : path, bytes, reads: 2 };
      }
      after = sha256;
    }
    compare = ">";
  }
}
