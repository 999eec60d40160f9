import { createPictures } from "../../../../src/plugins/cms/http/sent-image.ts";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createHistory } from "../../../../src/plugins/cms/renderer/api/history.ts";
import { TooManyUploads, upload } from "../../../../src/plugins/cms/media/upload.ts";
import { ensureSeeded } from "../../../../src/plugins/cms/seed/index.ts";
import type { Answer } from "../../../../src/cairn/protocol/api.ts";
import type { SiteAnswer } from "../../../../src/plugins/cms/protocol/answers.ts";
import { ENTERED, openDoors, post, verdictOf, type TOKENS } from "../../http/routes-fixture.ts";
import { NOW, openSite } from "../../site/fixture.ts";
import { rows } from "../fixture.ts";
import { jpeg, png, textIn } from "./image-bytes.ts";
import { siteRoutes } from "../../site/site-routes.ts";

/** A person sends an image: stored once, without its place, found again, taken back. */

const { fetch: fetchSite } = openSite();
let session = "";
let sessions = 0;
let now = NOW;
const doors = openDoors(
  {},
  {
    plugins: siteRoutes({ images: ensureSeeded, history: createHistory(ensureSeeded) }),
    pictures: createPictures(ensureSeeded),
    now: () => now,
  },
);

beforeAll(() => ensureSeeded(env, NOW - 1_000));
beforeEach(() => {
  session = `ses_up${(sessions += 1)}`;
});

function send(
  bytes: Uint8Array | string,
  more: { name?: string; type?: string; key?: string; who?: keyof typeof TOKENS } = {},
) {
  const form = new FormData();
  form.set("file", new File([bytes], more.name ?? "photo.jpg", { type: more.type ?? "image/jpeg" }));
  form.set("session", session);
  const headers = more.key === undefined ? undefined : { "idempotency-key": more.key };
  return doors.call("/api/uploads", {
    method: "POST",
    body: form,
    who: more.who ?? "alice",
    ...(headers && { headers }),
  });
}
const sent = async (
  ...given: Parameters<typeof send>
): Promise<Extract<Answer<"Uploaded">, { imageId: string }>> => {
  const response = await send(...given);
  expect(response.status).toBe(201);
  return response.json();
};
const imageOf = async (id: string): Promise<Response> => doors.call(`/api/images/${id}`);

test("a photo is stored without its place, shown at its URL, and known", async () => {
  const bytes = jpeg({ seed: 1 });
  const done = await sent(bytes, { name: "New path.jpg" });
  expect(done).toMatchObject({ width: 30, height: 40, deduped: false });
  const served = await fetchSite(done.url);
  expect(served.status).toBe(200);
  expect(served.headers.get("content-type")).toBe("image/jpeg");
  expect(textIn(new Uint8Array(await served.arrayBuffer()))).not.toContain("GPS");
  const known = await (await imageOf(done.imageId)).json<SiteAnswer<"Image">>();
  expect(known).toMatchObject({
    id: done.imageId,
    filename: "New path.jpg",
    url: done.url,
    origin: "chat",
    alt: "",
    usages: [],
    metadata: { status: "pending", description: "", error: null },
  });
});

test("the same bytes are one image, whoever sends them under whatever name", async () => {
  const first = await sent(jpeg({ seed: 2 }));
  const again = await sent(jpeg({ seed: 2 }), { name: "other.png", type: "text/html" });
  expect(again).toEqual({ ...first, deduped: true });
  const both = await Promise.all([sent(jpeg({ seed: 3 })), sent(jpeg({ seed: 3 }))]);
  expect(new Set(both.map((one) => one.imageId)).size).toBe(1);
  const stored = await rows("SELECT id FROM images WHERE id=?1", both[0]?.imageId ?? "");
  expect(stored).toHaveLength(1);
});

test("a key answers again what it has answered, and refuses other bytes", async () => {
  const first = await sent(jpeg({ seed: 4 }), { key: "k-1" });
  const response = await send(jpeg({ seed: 4 }), { key: "k-1" });
  expect(response.headers.get("idempotent-replayed")).toBe("true");
  expect(await response.json()).toEqual(first);
  expect(await verdictOf(await send(jpeg({ seed: 5 }), { key: "k-1" }))).toEqual([
    409,
    "idempotency_mismatch",
  ]);
});

test("a PNG named .jpg is stored as what it is", async () => {
  const done = await sent(png({ seed: 6 }), { name: "photo.jpg" });
  expect(done.url).toMatch(/\/photo\.png$/);
  expect((await fetchSite(done.url)).headers.get("content-type")).toBe("image/png");
});

test("an upload that is no image, too large or no form is refused, and nothing is stored", async () => {
  const before = await rows("SELECT id FROM images");
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  expect(await verdictOf(await send(svg, { name: "a.svg", type: "image/svg+xml" }))).toEqual([
    415,
    "unsupported_media",
  ]);
  expect(await verdictOf(await send("<html>", { name: "a.png", type: "image/png" }))).toEqual([
    415,
    "unsupported_media",
  ]);
  expect(await verdictOf(await send(png({ width: 41_000, height: 1_000 })))).toEqual([413, "too_large"]);
  expect(await verdictOf(await send(new Uint8Array(11 * 1024 * 1024)))).toEqual([413, "too_large"]);
  expect(await verdictOf(await doors.call("/api/uploads", post({})))).toEqual([
    415,
    "unsupported_media_type",
  ]);
  const broken = {
    method: "POST",
    body: "--x\r\n",
    headers: { "content-type": "multipart/form-data; boundary=y" },
  };
  expect(await verdictOf(await doors.call("/api/uploads", broken))).toEqual([400, "invalid_request"]);
  expect(await rows("SELECT id FROM images")).toEqual(before);
});

describe("a form of an upload", () => {
  const form = (fields: readonly (readonly [name: string, value: string | File])[]): FormData => {
    const made = new FormData();
    for (const [name, value] of fields) made.append(name, value);
    return made;
  };
  const photo = () => new File([png({ seed: 31 })], "photo.png");
  const call = (body: BodyInit, headers: Record<string, string> = {}) =>
    doors.call("/api/uploads", { method: "POST", body, headers });

  test.each<readonly [string, (session: string) => (readonly [string, string | File])[]]>([
    [
      "a field more",
      (id) => [
        ["file", photo()],
        ["session", id],
        ["note", "x"],
      ],
    ],
    [
      "two files",
      (id) => [
        ["file", photo()],
        ["file", photo()],
        ["session", id],
      ],
    ],
    [
      "two sessions",
      (id) => [
        ["file", photo()],
        ["session", id],
        ["session", `${id}_x`],
      ],
    ],
    [
      "a text for the file",
      (id) => [
        ["file", "photo"],
        ["session", id],
      ],
    ],
    [
      "a file for the session",
      () => [
        ["file", photo()],
        ["session", photo()],
      ],
    ],
    ["no session", () => [["file", photo()]]],
    [
      "a session that is no id",
      () => [
        ["file", photo()],
        ["session", "../ses"],
      ],
    ],
  ])("with %s is refused, and enters no session", async (_, fields) => {
    const response = await call(form(fields(session)));
    expect([response.status, doors.sessions.heard.filter((one) => one.session.startsWith(session))]).toEqual([
      400,
      [],
    ]);
  });

  test("that is packed, or names no boundary, is no form", async () => {
    const packed = await call(
      form([
        ["file", photo()],
        ["session", session],
      ]),
      { "content-encoding": "gzip" },
    );
    expect(await verdictOf(packed)).toEqual([415, "unsupported_media_type"]);
    const bare = await call("x", { "content-type": "multipart/form-data" });
    expect(await verdictOf(bare)).toEqual([415, "unsupported_media_type"]);
  });

  test("with an image of more than 10 MB enters no session, and up to that its bytes are looked at", async () => {
    const entered = () => doors.sessions.heard.filter((one) => one.session === session).length;
    expect(await verdictOf(await send(new Uint8Array(10 * 1024 * 1024 + 1)))).toEqual([413, "too_large"]);
    expect(entered()).toBe(0);
    expect(await verdictOf(await send(new Uint8Array(10 * 1024 * 1024)))).toEqual([415, "unsupported_media"]);
  });
});

test("an image that nobody could describe is looked at again when it is sent again, and no other", async () => {
  const { imageId } = await sent(png({ seed: 61 }));
  const again = async (status: string) => {
    await rows("UPDATE image_metadata SET status=?2, attempts=3 WHERE image_id=?1", imageId, status);
    expect((await sent(png({ seed: 61 }))).imageId).toBe(imageId);
    return rows("SELECT status, attempts FROM image_metadata WHERE image_id=?1", imageId);
  };
  expect(await again("failed")).toEqual([{ status: "pending", attempts: 0 }]);
  expect(await again("done")).toEqual([{ status: "done", attempts: 3 }]);
});

test("a key is that of its person, and without one each request is another", async () => {
  const first = await sent(png({ seed: 41 }), { key: "k-own" });
  const other = await sent(png({ seed: 42 }), { key: "k-own", who: "admin" });
  expect(other.imageId).not.toBe(first.imageId);
  await sent(png({ seed: 43 }));
  await sent(png({ seed: 44 }));
  const keys = await rows<{ key: string }>("SELECT key FROM operations WHERE session_id=?1", session);
  expect(new Set(keys.map(({ key }) => key)).size).toBe(4);
});

test("an upload is never older than its session, also where the clock of the worker is behind", async () => {
  now = ENTERED - 5_000;
  await sent(png({ seed: 51 }));
  now = NOW;
  expect(await rows("SELECT created_at FROM operations WHERE session_id=?1", session)).toEqual([
    { created_at: ENTERED },
  ]);
});

test("an image with a huge declared size is refused without unpacking", async () => {
  const before = await rows("SELECT id FROM images");
  const claim = png({ width: 60_000, height: 60_000 });
  expect(claim.length).toBeLessThan(300);
  expect(await verdictOf(await send(claim, { name: "small.png" }))).toEqual([413, "too_large"]);
  // A hundred megabytes in a hundred kilobytes: a whole archive, and behind the head of a picture.
  const zeros = new Blob(Array.from({ length: 100 }, () => new Uint8Array(1_048_576)));
  const packed = new Uint8Array(
    await new Response(zeros.stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  );
  expect(packed.length).toBeLessThan(200_000);
  expect(await verdictOf(await send(packed, { name: "photo.png", type: "image/png" }))).toEqual([
    415,
    "unsupported_media",
  ]);
  const zip = "PK\x03\x04".padEnd(200, "\0");
  expect(await verdictOf(await send(zip, { name: "photo.png" }))).toEqual([415, "unsupported_media"]);
  const headed = new Uint8Array([...png({ seed: 8 }).subarray(0, 33), ...packed]);
  expect(await verdictOf(await send(headed, { name: "photo.png" }))).toEqual([415, "unsupported_media"]);
  expect(await rows("SELECT id FROM images")).toEqual(before);
});

describe("the uploads of an hour", () => {
  /** as many as one person may put into the session */
  const fill = async (from: number, count = 20): Promise<void> => {
    for (let n = 0; n < count; n++) await sent(png({ seed: from + n }), { key: `${session}-${n}` });
  };

  test("end with the twentieth, in this session and for this person", async () => {
    await fill(1_000);
    const over = await send(png({ seed: 1_020 }));
    expect(over.headers.get("retry-after")).toBe("3600");
    expect(await verdictOf(over)).toEqual([429, "rate_limited"]);
    // The hour is that of the first of them.
    now = NOW + 600_000;
    const later = await send(png({ seed: 1_020 }));
    now = NOW;
    expect([later.status, later.headers.get("retry-after")]).toEqual([429, "3000"]);
    // An image that is in the library already, and the repeat of a request, cost nothing.
    expect((await send(png({ seed: 1_000 }))).status).toBe(201);
    expect((await send(png({ seed: 1_001 }), { key: `${session}-1` })).status).toBe(201);
    // Another person in this session, and this person in another one, have their own.
    expect((await send(png({ seed: 1_021 }), { who: "admin" })).status).toBe(201);
    const full = session;
    session = `${full}_other`;
    expect((await send(png({ seed: 1_022 }))).status).toBe(201);
    session = full;
    now += 3_600_000;
    expect((await send(png({ seed: 1_020 }))).status).toBe(201);
    now = NOW;
  });

  test("are no more where several are sent at the same moment", async () => {
    await fill(2_000, 19);
    const answers = await Promise.all([0, 1, 2, 3].map((n) => send(png({ seed: 2_100 + n }))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 429, 429, 429]);
    const [{ count } = { count: 0 }] = await rows<{ count: number }>(
      "SELECT count(*) AS count FROM operations WHERE session_id=?1 AND tool='upload'",
      session,
    );
    expect(count).toBe(20);
  });

  test("do not count those of a deleted session of the same name", async () => {
    await fill(3_000);
    await rows("UPDATE operations SET created_at=created_at-1000 WHERE session_id=?1", session);
    expect((await send(png({ seed: 3_100 }))).status).toBe(429);
    const services = { db: env.DB, media: env.MEDIA, env: "env_main", actor: "user:alice" };
    const wish = {
      key: "reborn",
      session,
      subject: "alice",
      filename: "a.png",
      bytes: png({ seed: 3_101 }),
      at: NOW,
    };
    await expect(upload(services, { ...wish, createdAt: NOW - 1_000 })).rejects.toThrow(TooManyUploads);
    expect(await upload(services, { ...wish, createdAt: NOW - 999 })).toMatchObject({ deduped: false });
  });
});

test("history names it, undo takes it out of the library, and the undo of that puts it back", async () => {
  const { imageId, url } = await sent(jpeg({ seed: 7 }), { key: "taken-back" });
  await rows("UPDATE images SET alt='A path', alt_source='model', version=version+1 WHERE id=?1", imageId);
  const listed = await (
    await doors.call(`/api/cms/history?session=${session}`)
  ).json<SiteAnswer<"SiteHistory">>();
  expect(listed.items).toMatchObject([{ tool: "upload", actor: "user:alice", undoable: true }]);
  const operation = listed.items[0]?.operation ?? "";
  const undo = (key: string) => doors.call("/api/cms/undo", post({ operation: key }));
  const undone = await (await undo(operation)).json<SiteAnswer<"Undone">>();
  expect(undone.restored).toMatchObject([{ op: "delete", type: "image", id: imageId }]);
  expect((await fetchSite(url)).status).toBe(404);
  expect((await imageOf(imageId)).status).toBe(404);
  expect((await undo(undone.operation)).status).toBe(200);
  expect((await fetchSite(url)).status).toBe(200);
  expect(doors.reported).toEqual([]);
});
