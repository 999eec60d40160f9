import { createPictures } from "../../../src/plugins/cms/http/sent-image.ts";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import type { Answer } from "../../../src/cairn/protocol/api.ts";
import { pdf, textBytes, zip } from "../../cairn/documents/made-files.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";
import { openApi, type Person } from "../sessions/session-fixture.ts";
import { siteRoutes } from "../site/site-routes.ts";

/** A file from the door to the answer: it is sent, named in a message, read by the tool, and gone with its session. */

type Kept = Extract<Answer<"Uploaded">, { fileId: string }>;

const api = openApi(
  {},
  {
    plugins: siteRoutes({ images: ensureSeeded }),
    pictures: createPictures(ensureSeeded),
  },
);
const LEASE = pdf(["The flat is let from 1 May.", "Notice period: three months."]);

function upload(session: string, name: string, bytes: Uint8Array<ArrayBuffer>, who: Person = "alice") {
  const form = new FormData();
  form.set("file", new File([bytes], name, { type: "image/png" }));
  form.set("session", session);
  return api.call("/api/uploads", { method: "POST", body: form, who });
}

async function sent(session: string, name = "lease.pdf", bytes = LEASE): Promise<Kept> {
  const response = await upload(session, name, bytes);
  expect(response.status).toBe(201);
  return response.json();
}

const say = (session: string, text: string, { url, mediaType }: Pick<Kept, "url" | "mediaType">) =>
  api.call(
    `/api/sessions/${session}/messages`,
    post(
      {
        parts: [
          { type: "text", text },
          { type: "file", mediaType, url },
        ],
      },
      { accept: "text/event-stream" },
    ),
  );

const filesOf = async (session: string): Promise<string[]> =>
  (await env.MEDIA.list({ prefix: `uploads/${session}/` })).objects.map(({ key }) => key);

test("a file that is sent is named in the message, read with names for its passages, and deleted with the session", async () => {
  const file = await sent("ses-files-1");
  expect(file).toEqual({
    fileId: expect.stringMatching(/^f_[0-9a-f]{24}$/) as string,
    url: `/uploads/${file.fileId}`,
    name: "lease.pdf",
    mediaType: "application/pdf",
    bytes: LEASE.length,
    deduped: false,
  });
  expect(await sent("ses-files-1")).toEqual({ ...file, deduped: true });
  const call = `/call read_file {"files":["${file.fileId}"],"goal":"notice period"}`;
  const said = await say("ses-files-1", `${call}\n/then\n/say Three months [e1].`, {
    ...file,
    mediaType: "text/plain",
  });
  expect(await said.text()).toContain("[DONE]");
  const messages = await api.json<{ parts: Record<string, unknown>[] }[]>(
    200,
    "/api/sessions/ses-files-1/messages",
  );
  expect(messages[0]?.parts[1]).toEqual({
    type: "file",
    mediaType: "application/pdf",
    url: file.url,
    filename: "lease.pdf",
    providerMetadata: { cairn: { file: file.fileId, size: LEASE.length } },
  });
  const output = JSON.stringify(messages[1]?.parts.find(({ type }) => type === "tool-read_file"));
  expect(output).toContain("Notice period: three months.");
  expect(output).toContain("e1");
  expect(await filesOf("ses-files-1")).toEqual([`uploads/ses-files-1/${file.fileId}`]);
  expect((await api.call("/api/sessions/ses-files-1", { method: "DELETE" })).status).toBe(204);
  expect(await filesOf("ses-files-1")).toEqual([]);
});

test("a file leads nowhere in another session, and nobody sends one into a session of somebody else", async () => {
  const file = await sent("ses-files-2");
  const said = await say(
    "ses-files-3",
    `/call read_file {"files":["${file.fileId}"]}\n/then\n/say No.`,
    file,
  );
  await said.text();
  const messages = await api.json<{ parts: Record<string, unknown>[] }[]>(
    200,
    "/api/sessions/ses-files-3/messages",
  );
  expect(messages[0]?.parts[1]).toEqual({ type: "file", mediaType: file.mediaType, url: file.url });
  expect(JSON.stringify(messages[1]?.parts)).toContain(`No file ${file.fileId} was sent in this session.`);
  const foreign = await upload("ses-files-3", "a.txt", textBytes("words"), "bob");
  expect(foreign.status).toBe(409);
  expect(await foreign.json()).toMatchObject({ error: { code: "id_taken" } });
  expect(await filesOf("ses-files-3")).toEqual([]);
});

test.each([
  ["a PDF with a password", "a.pdf", pdf(["a"], { locked: true }), 400, "pdf_encrypted"],
  ["a PDF of too many pages", "a.pdf", pdf(Array.from({ length: 501 }, () => "")), 413, "pdf_pages"],
  ["a text that is named as a PDF", "a.pdf", textBytes("words"), 415, "unsupported_media"],
  ["an archive", "a.docx", zip(), 415, "unsupported_media"],
  ["an empty file", "a.txt", textBytes(""), 400, "empty_file"],
  ["a program", "a.exe", textBytes("MZ"), 415, "unsupported_media"],
  ["20 MB and a byte", "a.txt", new Uint8Array(20 * 1_048_576 + 1).fill(0x61), 413, "too_large"],
] as const)("%s is refused, with what to do, and nothing is kept", async (_, name, bytes, status, code) => {
  const response = await upload("ses-files-4", name, bytes);
  const { error } = await response.json<{ error: { code: string; hint: string } }>();
  expect([response.status, error.code]).toEqual([status, code]);
  expect(error.hint).not.toBe("");
  expect(await filesOf("ses-files-4")).toEqual([]);
});

test("a path that leads out of the session is no part of a message", async () => {
  for (const url of ["/uploads/../x", "/uploads/other/f_000000000000000000000000", "/uploads/f_0"]) {
    const said = await say("ses-files-5", "Read it.", { url, mediaType: "text/plain" });
    expect([said.status, await said.json()]).toMatchObject([422, { error: { code: "unsupported_part" } }]);
  }
});

const PIXEL = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (char) => char.charCodeAt(0),
);

test.each([
  ["an image", "photo.png", PIXEL],
  ["a file", "lease.pdf", LEASE],
])("%s goes into nobody else's session, and into no child that does not exist", async (_, name, bytes) => {
  const session = `ses-foreign-${name.slice(0, 5)}`;
  await api.say(session, "/say Mine.");
  expect(await verdictOf(await upload(session, name, bytes, "bob"))).toEqual([409, "id_taken"]);
  expect(await verdictOf(await upload(`${session}~r1s1c0`, name, bytes))).toEqual([404, "not_found"]);
});

test("a file for a name that nobody uses makes the session its sender's, so that nobody else takes both", async () => {
  const file = await sent("ses-first-file");
  expect(await verdictOf(await upload("ses-first-file", "b.csv", textBytes("a"), "bob"))).toEqual([
    409,
    "id_taken",
  ]);
  expect(
    (await api.call("/api/sessions/ses-first-file/messages", { ...post({ text: "Hi." }), who: "bob" }))
      .status,
  ).toBe(409);
  expect((await say("ses-first-file", "/say Read.", file)).status).toBe(200);
});

test("a file of a deleted session is not read in the next session of its name", async () => {
  const file = await sent("ses-reborn");
  const [object] = await filesOf("ses-reborn");
  const left = await env.MEDIA.get(object ?? "");
  const bytes = await left?.arrayBuffer();
  expect((await api.call("/api/sessions/ses-reborn", { method: "DELETE" })).status).toBe(204);
  // A deletion that did not reach the bucket.
  await env.MEDIA.put(object ?? "", bytes ?? null, { customMetadata: left?.customMetadata ?? {} });
  await api.json(201, "/api/sessions", { ...post({ id: "ses-reborn" }), who: "bob" });
  const said = await api.call("/api/sessions/ses-reborn/messages", {
    ...post(
      { text: `/call read_file {"files":["${file.fileId}"]}\n/then\n/say Over.` },
      { accept: "text/event-stream" },
    ),
    who: "bob",
  });
  const text = await said.text();
  expect(text).toContain("was sent in this session");
  expect(text).not.toContain("Notice period");
});

test("of forty uploads at once no more than twenty find room, and a file that is there already needs none", async () => {
  await sent("ses-quota", "first.csv", textBytes("a,b\n0,0"));
  const all = await Promise.all(
    Array.from({ length: 40 }, (_, n) => upload("ses-quota", `f${n}.csv`, textBytes(`a,b\n${n},${n + 1}`))),
  );
  const statuses = all.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(19);
  expect(statuses.filter((status) => status === 429)).toHaveLength(21);
  expect(await filesOf("ses-quota")).toHaveLength(20);
  expect((await upload("ses-quota", "first.csv", textBytes("a,b\n0,0"))).status).toBe(201);
});
