import { createPictures } from "../../../src/plugins/cms/http/sent-image.ts";
import { expect, test } from "vitest";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import type { Answer } from "../../../src/cairn/protocol/api.ts";
import { textBytes } from "../../cairn/documents/made-files.ts";
import { post } from "../http/routes-fixture.ts";
import { openApi, type Person } from "../sessions/session-fixture.ts";
import { siteRoutes } from "../site/site-routes.ts";

/** Files of a run as data: named by `files`, or sent to its session before anybody sends a message there. */

type Kept = Extract<Answer<"Uploaded">, { fileId: string }>;
interface Message {
  readonly parts: readonly { readonly type: string; readonly url?: string; readonly filename?: string }[];
}
interface Refusal {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly issues: readonly { readonly path: string; readonly code: string }[];
  };
}

const api = openApi(
  {},
  {
    plugins: siteRoutes({ images: ensureSeeded }),
    pictures: createPictures(ensureSeeded),
  },
);

async function sent(session: string, name: string, words: string, who: Person = "alice"): Promise<Kept> {
  const form = new FormData();
  form.set("file", new File([textBytes(words)], name));
  form.set("session", session);
  const response = await api.call("/api/uploads", { method: "POST", body: form, who });
  expect(response.status).toBe(201);
  return response.json();
}

const start = (body: object, who: Person = "alice") => api.call("/api/runs", { ...post(body), who });

/** The names of the files of the first message of a session. */
async function filesOf(session: string): Promise<readonly (string | undefined)[]> {
  const [first] = await api.json<Message[]>(200, `/api/sessions/${session}/messages`);
  return (first?.parts ?? []).filter(({ type }) => type === "file").map(({ filename }) => filename);
}

async function issuesOf(response: Response): Promise<readonly (readonly [string, string])[]> {
  expect(response.status).toBe(422);
  const { error } = await response.json<Refusal>();
  expect(error.code).toBe("invalid_run");
  return error.issues.map(({ path, code }) => [path, code] as const);
}

test("files that are sent to a session before its first message go with its first run", async () => {
  const lease = await sent("run-files-1", "lease.txt", "Notice: three months.");
  await sent("run-files-1", "rent.csv", "month,sum\nMay,900");
  const objective = `/call read_file {"files":["${lease.fileId}"]}\n/then\n/say Three months [e1].`;
  const run = await start({ session_id: "run-files-1", objective });
  expect(await run.json()).toMatchObject({
    status: "completed",
    citations: { items: [{ title: "lease.txt", quote: "Notice: three months." }] },
  });
  expect(await filesOf("run-files-1")).toEqual(["lease.txt", "rent.csv"]);
  // A later run has what it names, and nothing else.
  await start({ session_id: "run-files-1", objective: "/say Again." });
  const messages = await api.json<Message[]>(200, "/api/sessions/run-files-1/messages");
  expect(messages[2]?.parts.map(({ type }) => type)).toEqual(["text"]);
});

test("an empty list takes none of them, and a list takes those that it names, once each", async () => {
  await sent("run-files-2", "a.txt", "A");
  await start({ session_id: "run-files-2", objective: "/say No.", files: [] });
  expect(await filesOf("run-files-2")).toEqual([]);
  await sent("run-files-3", "a.txt", "A");
  const second = await sent("run-files-3", "b.txt", "B");
  const files = [second.fileId, second.url, second.fileId];
  await start({ config: { session_id: "run-files-3", objective: "/say Yes.", files } });
  expect(await filesOf("run-files-3")).toEqual(["b.txt"]);
});

test("a file is named in a session that has messages already, also from the loop of a workflow", async () => {
  await start({ session_id: "run-files-4", objective: "/say Hello." });
  const { url } = await sent("run-files-4", "late.txt", "Late");
  const properties = { mode: "react", session_id: "run-files-4", objective: "/say Read.", files: [url] };
  expect((await start({ type: "loop", properties })).status).toBe(200);
  const messages = await api.json<Message[]>(200, "/api/sessions/run-files-4/messages");
  expect(messages[2]?.parts[1]).toMatchObject({ url, filename: "late.txt" });
});

const NOBODYS = "f_0123456789abcdef01234567";

test.each([
  [
    "a file that nobody sent",
    { session_id: "run-files-5", files: [NOBODYS] },
    [["files[0]", "unknown_file"]],
  ],
  [
    "two, one under config",
    { config: { session_id: "run-files-5", files: [NOBODYS, `/media/${"0".repeat(64)}/photo.png`] } },
    [
      ["config.files[0]", "unknown_file"],
      ["config.files[1]", "unknown_file"],
    ],
  ],
  ["files without a session", { files: [NOBODYS] }, [["files", "session_missing"]]],
  [
    "a path that leads elsewhere",
    { session_id: "run-files-5", files: ["../secrets"] },
    [["files[0]", "not_a_file"]],
  ],
  [
    "an address",
    { session_id: "run-files-5", files: ["https://a.example/b.txt"] },
    [["files[0]", "not_a_file"]],
  ],
  ["no list", { session_id: "run-files-5", files: 7 }, [["files", "wrong_type"]]],
  [
    "21 files",
    { session_id: "run-files-5", files: Array.from({ length: 21 }, () => NOBODYS) },
    [["files", "out_of_range"]],
  ],
])("%s is refused, and no session is made", async (_, spec, issues) => {
  expect(await issuesOf(await start({ objective: "/say No.", ...spec }))).toEqual(issues);
  expect((await api.call("/api/sessions/run-files-5")).status).toBe(404);
});

test("a file of another session is unknown, whoever sent it", async () => {
  const own = await sent("run-files-6", "own.txt", "Own");
  const foreign = await sent("run-files-7", "foreign.txt", "Foreign", "bob");
  await sent("run-files-8", "here.txt", "Here");
  const files = [own.fileId, foreign.fileId];
  expect(await issuesOf(await start({ session_id: "run-files-8", objective: "/say No.", files }))).toEqual([
    ["files[0]", "unknown_file"],
    ["files[1]", "unknown_file"],
  ]);
  const taken = await start({ session_id: "run-files-7", objective: "/say No.", files: [foreign.fileId] });
  expect([taken.status, await taken.json()]).toMatchObject([409, { error: { code: "id_taken" } }]);
});

test("a request that is repeated under its key is the same run, with the files of the first", async () => {
  const { fileId } = await sent("run-files-9", "a.txt", "A");
  const body = { session_id: "run-files-9", objective: "/say Once.", files: [fileId] };
  const init = { ...post(body, { "idempotency-key": "files-once" }), who: "alice" as const };
  const [first, again] = [await api.call("/api/runs", init), await api.call("/api/runs", init)];
  const ids = [await first.json<{ id: string }>(), await again.json<{ id: string }>()].map(({ id }) => id);
  expect(ids).toEqual(["run-files-9.r1", "run-files-9.r1"]);
  expect(await filesOf("run-files-9")).toEqual(["a.txt"]);
});

test("attempts side by side read the files of the run that starts them", async () => {
  const { fileId } = await sent("run-files-10", "lease.txt", "Notice: three months.");
  const objective = `/call read_file {"files":["${fileId}"]}\n/then\n/say Three months [e1].`;
  await start({ session_id: "run-files-10", objective, rollouts: 2 });
  const [child, answered] = await api.json<{ parts: unknown[] }[]>(
    200,
    "/api/sessions/run-files-10~r1s1c0/messages",
  );
  expect(JSON.stringify(child)).toContain(`File ${fileId}: lease.txt`);
  expect(JSON.stringify(answered)).toContain("Notice: three months.");
});
