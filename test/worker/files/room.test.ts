import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { ok } from "../../../src/cairn/core/log/result.ts";
import {
  createUploadSpace,
  dropFiles,
  dropReservations,
  findFile,
  keepFile,
  loadFile,
  type Arriving,
  type UploadSpace,
} from "../../../src/cairn/uploads/store.ts";
import { textBytes } from "../../cairn/documents/made-files.ts";

/** The room that a session has for files: how many, by whom, in which hour; and whose files they are. */

const HOUR_MS = 3_600_000;
const AT = Date.UTC(2026, 10, 21);
const BORN = AT - 1_000;
const bucket = env.MEDIA;
let session = "";
let sessions = 0;
let ids = 0;
beforeEach(() => {
  session = `room-${(sessions += 1)}`;
});

const arriving = (more: Partial<Arriving> = {}): Arriving => ({
  session,
  createdAt: BORN,
  subject: "ada:lovelace",
  name: "a.txt",
  bytes: textBytes(`file ${(ids += 1)}`),
  at: AT,
  ...more,
});
const fault = (code: string, retryAfter?: number) => ({
  ok: false,
  error: expect.objectContaining({ code, ...(retryAfter === undefined ? {} : { retryAfter }) }) as object,
});

interface Counted {
  readonly take: (given: Arriving) => Promise<unknown>;
  /** takes room for so many, as `take` does, without a look at the bounds */
  readonly fill: (given: readonly Arriving[]) => Promise<unknown>;
}

const COUNTED: readonly (readonly [string, Counted])[] = [
  [
    "the bucket",
    {
      take: (given) => keepFile(bucket, given),
      fill: (given) =>
        Promise.all(
          given.map(({ subject, at }, n) =>
            bucket.put(`uploads/${session}/f_${String(n).padStart(24, "0")}`, "a", {
              customMetadata: {
                name: "a.txt",
                type: "text/plain",
                by: encodeURIComponent(subject),
                at: String(at),
                of: String(BORN),
              },
            }),
          ),
        ),
    },
  ],
  [
    "the reservations",
    {
      take: (given) => createUploadSpace(env.DB, () => crypto.randomUUID()).reserve(given),
      fill: (given) =>
        env.DB.batch(
          given.map(({ subject, at }) =>
            env.DB.prepare(
              "INSERT INTO upload_reservations(id,session_id,session_at,subject,at) VALUES(?1,?2,?3,?4,?5)",
            ).bind(crypto.randomUUID(), session, BORN, subject, at),
          ),
        ),
    },
  ],
];

describe.each(COUNTED)("counted by %s", (_, { take, fill }) => {
  test("each person has room for twenty files in any hour, and the wait is to the end of the oldest", async () => {
    await fill(Array.from({ length: 19 }, (__, n) => arriving({ at: AT + n * 1_000 })));
    expect(await take(arriving({ at: AT + 30_000 }))).toMatchObject({ ok: true });
    expect(await take(arriving({ at: AT + 60_000 }))).toEqual(fault("rate_limited", 3_540));
    expect(await take(arriving({ at: AT + 60_000, subject: "ben" }))).toMatchObject({ ok: true });
    const elsewhere = arriving({ at: AT + 60_000, session: `${session}-other` });
    expect(await take(elsewhere)).toMatchObject({ ok: true });
    expect(await take(arriving({ at: AT + HOUR_MS - 1 }))).toEqual(fault("rate_limited", 0.001));
    expect(await take(arriving({ at: AT + HOUR_MS }))).toMatchObject({ ok: true });
    expect(await take(arriving({ at: AT + HOUR_MS }))).toEqual(fault("rate_limited", 1));
  });

  test("a session has room for 200 files, whoever sends them and whenever", async () => {
    await fill(Array.from({ length: 199 }, (__, n) => arriving({ subject: `p-${n}`, at: AT - n * HOUR_MS })));
    expect(await take(arriving())).toMatchObject({ ok: true });
    expect(await take(arriving({ subject: "ben" }))).toEqual(fault("too_many_files"));
  });
});

describe("a reservation", () => {
  const room = createUploadSpace(env.DB, () => crypto.randomUUID());
  const taken = async (of = session): Promise<number> =>
    (await env.DB.prepare("SELECT count(*) AS n FROM upload_reservations WHERE session_id=?1")
      .bind(of)
      .first<number>("n")) ?? -1;

  test("of a deleted session takes no room in the next one of its name, and goes with its session alone", async () => {
    for (let n = 0; n < 20; n++) await room.reserve(arriving());
    expect(await room.reserve(arriving())).toEqual(fault("rate_limited", 3_600));
    expect(await room.reserve(arriving({ createdAt: BORN + 1 }))).toMatchObject({ ok: true });
    const other = `${session}-other`;
    await room.reserve(arriving({ session: other }));
    await dropReservations(env.DB, session);
    expect([await taken(), await taken(other)]).toEqual([0, 1]);
  });

  test("is given back alone, where its file could not be stored, and the fault is passed on", async () => {
    expect((await keepFile(bucket, arriving(), room)).ok).toBe(true);
    const broken = {
      head: () => Promise.resolve(null),
      list: () => Promise.resolve({ objects: [] }),
      put: () => Promise.reject(new Error("the bucket is away")),
    } as unknown as R2Bucket;
    await expect(keepFile(broken, arriving(), room)).rejects.toThrow("the bucket is away");
    expect(await taken()).toBe(1);
  });

  test("is not made for a file that is refused, or that is there already", async () => {
    let asked = 0;
    const counting: UploadSpace = {
      reserve: () => Promise.resolve(ok(`reserved-${(asked += 1)}`)),
      release: () => Promise.reject(new Error("nothing to give back")),
    };
    const file = arriving();
    expect(await keepFile(bucket, file, counting)).toMatchObject({ ok: true, value: { deduped: false } });
    expect(await keepFile(bucket, file, counting)).toMatchObject({ ok: true, value: { deduped: true } });
    expect(await keepFile(bucket, arriving({ bytes: textBytes("") }), counting)).toEqual(fault("empty_file"));
    expect(asked).toBe(1);
    const full: UploadSpace = {
      reserve: () =>
        Promise.resolve({ ok: false, error: { class: "conflict", code: "full", message: "", hint: "" } }),
      release: () => Promise.resolve(),
    };
    const refused = arriving();
    expect(await keepFile(bucket, refused, full)).toEqual(fault("full"));
    expect((await bucket.list({ prefix: `uploads/${session}/` })).objects).toHaveLength(1);
  });
});

describe("a stored file", () => {
  test("belongs to the session of its time alone, and is stored anew for the next of that name", async () => {
    const file = arriving();
    const kept = await keepFile(bucket, file);
    if (!kept.ok) throw new Error(kept.error.message);
    const { id } = kept.value.file;
    const seen = async (createdAt: number | null | undefined) => [
      (await findFile(bucket, session, id, createdAt))?.id ?? null,
      (await loadFile(bucket, session, id, createdAt))?.file.id ?? null,
    ];
    expect(await seen(BORN)).toEqual([id, id]);
    expect(await seen(undefined)).toEqual([id, id]);
    for (const other of [BORN - 1, BORN + 1, null]) expect(await seen(other)).toEqual([null, null]);
    const next = await keepFile(bucket, { ...file, createdAt: BORN + 1 });
    expect(next).toMatchObject({ ok: true, value: { deduped: false } });
    expect([await seen(BORN), await seen(BORN + 1)]).toEqual([
      [null, null],
      [id, id],
    ]);
  });

  test("of a release that stored no session's time belongs to one that is at most an hour younger", async () => {
    const kept = await keepFile(bucket, { ...arriving(), createdAt: undefined } as unknown as Arriving);
    if (!kept.ok) throw new Error(kept.error.message);
    const { id } = kept.value.file;
    expect((await findFile(bucket, session, id, AT + HOUR_MS))?.id).toBe(id);
    expect(await findFile(bucket, session, id, AT + HOUR_MS + 1)).toBeNull();
  });

  test("goes with its session, and no file of a session whose name begins the same", async () => {
    const longer = `${session}0`;
    await keepFile(bucket, arriving());
    await keepFile(bucket, arriving({ session: longer }));
    await dropFiles(bucket, session);
    const left = async (of: string) => (await bucket.list({ prefix: `uploads/${of}/` })).objects.length;
    expect([await left(session), await left(longer)]).toEqual([0, 1]);
  });
});
