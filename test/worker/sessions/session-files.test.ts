import { beforeAll, describe, expect, test } from "vitest";
import { replay } from "../../../src/cli/replay/fold.ts";
import { parseLog } from "../../../src/cli/replay/log.ts";
import type { SessionView } from "../../../src/cairn/session/api/session-api.ts";
import { exportSchema, sealOf } from "../../../src/cairn/protocol/session-file.ts";
import type { Event } from "../../../src/cairn/protocol/views.ts";
import { makeSite } from "../cms/fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";
import { gated, openApi } from "./session-fixture.ts";

/** Copies of real sessions: exported, imported, forked. */

const api = openApi();
beforeAll(makeSite);

interface Exported {
  readonly session: SessionView;
  readonly entries: Event[];
  readonly blobs: Record<string, string>;
  readonly stateHash: string;
  readonly seal: string;
}
const exportOf = async (session: string): Promise<Exported> =>
  api.json<Exported>(200, `/api/sessions/${session}/export`, { who: "root" });
const importOf = (file: unknown, headers: Record<string, string> = {}) =>
  api.call("/api/sessions/import", { ...post(file, headers), who: "root" });
const messagesOf = async (session: string, who: "alice" | "root" = "alice") =>
  api.json<{ id: string; role: string; parts: unknown }[]>(200, `/api/sessions/${session}/messages`, { who });
const eventsOf = async (session: string, who: "alice" | "root" = "alice") =>
  (await api.json<{ items: Event[] }>(200, `/api/sessions/${session}/events?limit=1000`, { who })).items;

describe("an export", () => {
  test("is a file of the whole log, for an admin", async () => {
    await api.say("whole", "/call site_overview {}\n/then\n/say Seen.", { id: "m1" });
    const response = await api.call("/api/sessions/whole/export", { who: "root" });
    expect([response.status, response.headers.get("content-disposition")]).toEqual([
      200,
      'attachment; filename="whole.json"',
    ]);
    const file = (await response.json()) as Exported;
    expect(file).toMatchObject({
      format: "cairn.session/1",
      session: { id: "whole", owner: "alice" },
      stateHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      seal: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(file.entries).toEqual(await eventsOf("whole"));
    const log = parseLog(JSON.stringify(file));
    const folded = log.kind === "log" ? replay(log, null) : log;
    expect(folded).toMatchObject({
      kind: "replayed",
      digest: `sha256:${file.stateHash}`,
      exported: { sealed: true },
    });
    expect(await verdictOf(await api.call("/api/sessions/whole/export"))).toEqual([403, "missing_scope"]);
  });

  test("imported is the same conversation under a new id, and the same state before anything is added", async () => {
    const file = await exportOf("whole");
    const imported = (await (await importOf(file)).json()) as SessionView;
    expect(imported).toMatchObject({
      owner: "root",
      imported: true,
      status: "idle",
      title: file.session.title,
    });
    expect(imported.id).not.toBe("whole");
    const shown = (list: { id: string; role: string; parts: unknown }[]) =>
      JSON.parse(
        JSON.stringify(list.map(({ role, parts }) => ({ role, parts }))).replaceAll(imported.id, "whole"),
      );
    expect(shown(await messagesOf(imported.id, "root"))).toEqual(shown(await messagesOf("whole")));
    expect((await exportOf(imported.id)).stateHash).toBe(file.stateHash);
    await api.call(`/api/sessions/${imported.id}/messages`, { ...post({ text: "/say On." }), who: "root" });
    await expect
      .poll(async () => (await eventsOf(imported.id, "root")).at(-1)?.kind, { timeout: 5_000 })
      .toBe("run_ended");
    // Nobody vouches for an imported log: its runs begin tainted.
    const queued = (await eventsOf(imported.id, "root")).filter(({ kind }) => kind === "run_queued");
    expect(queued.at(-1)?.body).toMatchObject({ imported: true });
    expect(queued[0]?.body).not.toHaveProperty("imported");
  });

  test("with a changed byte anywhere is no export", async () => {
    const file = await exportOf("whole");
    const bend: ((copy: Exported) => unknown)[] = [
      (copy) => ({ ...copy, session: { ...copy.session, title: "Other" } }),
      (copy) => ({ ...copy, entries: copy.entries.slice(0, -1) }),
      (copy) => ({ ...copy, entries: [...copy.entries.slice(1), copy.entries[0]] }),
      (copy) => ({
        ...copy,
        entries: copy.entries.map((entry) =>
          entry.kind === "answer" ? { ...entry, body: { ...entry.body, text: "Seem." } } : entry,
        ),
      }),
      (copy) => ({ ...copy, blobs: { r1s1c0: "more" } }),
      (copy) => ({ ...copy, stateHash: copy.stateHash.replace(/^./, (c) => (c === "0" ? "1" : "0")) }),
      (copy) => ({ ...copy, seal: copy.seal.replace(/^./, (c) => (c === "0" ? "1" : "0")) }),
    ];
    for (const change of bend)
      expect(await verdictOf(await importOf(change(structuredClone(file))))).toEqual([422, "bad_export"]);
    expect(await verdictOf(await importOf({ ...file, format: "cairn.session/2" }))).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await verdictOf(await importOf({ ...file, owner: "root" }))).toEqual([400, "unknown_field"]);
  });

  test("is imported once for a key", async () => {
    const file = await exportOf("whole");
    const key = { "idempotency-key": "import-1" };
    const first = await importOf(file, key);
    const again = await importOf(file, key);
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([
      201,
      201,
      "true",
    ]);
    expect(await again.text()).toBe(await first.text());
  });

  test("of a session at work becomes one in which nothing is", async () => {
    await api.call(
      "/api/sessions/asking/messages",
      post({
        text: gated(),
      }),
    );
    await expect
      .poll(async () => (await eventsOf("asking")).at(-1)?.kind, { timeout: 10_000 })
      .toBe("approval_requested");
    const imported = (await (await importOf(await exportOf("asking"))).json()) as SessionView;
    expect(imported).toMatchObject({ status: "idle", pendingApprovals: 0 });
    const kinds = (await eventsOf(imported.id, "root")).map(({ kind }) => kind);
    expect(kinds.slice(-5)).toEqual([
      "command_queued",
      "approval_cancelled",
      "call_settled",
      "answer",
      "run_ended",
    ]);
    expect((await api.json<SessionView>(200, "/api/sessions/asking")).pendingApprovals).toBe(1);
    await api.call("/api/sessions/asking/cancel", post({ all: true }));
  });

  test("keeps large files beside the rows", async () => {
    const url = `data:image/png;base64,${"A".repeat(200_000)}`;
    const parts = [
      { type: "text", text: "/say Seen." },
      { type: "file", mediaType: "image/png", url },
    ];
    await api.call("/api/sessions/filed/messages", post({ parts, id: "m1" }));
    await expect
      .poll(async () => (await eventsOf("filed")).at(-1)?.kind, { timeout: 5_000 })
      .toBe("run_ended");
    const file = await exportOf("filed");
    expect(Object.keys(file.blobs)).toEqual(["blob:m1/1"]);
    const imported = (await (await importOf(file)).json()) as SessionView;
    expect((await messagesOf(imported.id, "root"))[0]?.parts).toEqual(parts);
    const forked = await api.json<SessionView>(201, "/api/sessions/filed/fork", post({}));
    expect((await messagesOf(forked.id))[0]?.parts).toEqual(parts);
    const before = await api.json<SessionView>(201, "/api/sessions/filed/fork", post({ atSeq: 0 }));
    expect(await messagesOf(before.id)).toEqual([]);
  });
});

describe("a fork", () => {
  test("in the middle of a run is idle, cut at a step, and leaves its parent alone", async () => {
    await api.say("parent", "/call site_overview {}\n/then\n/call site_overview {}\n/then\n/say Two.");
    const entries = await eventsOf("parent");
    const steps = entries.filter(({ kind }) => kind === "step_started").map(({ seq }) => seq);
    // In the second step: cut after the first.
    const atSeq = (steps[1] ?? 0) + 1;
    const child = await api.json<SessionView>(
      201,
      "/api/sessions/parent/fork",
      post({ atSeq, title: "Try" }),
    );
    expect(child).toMatchObject({
      title: "Try",
      owner: "alice",
      status: "idle",
      forkedFrom: { sessionId: "parent", seq: (steps[1] ?? 0) - 1 },
    });
    const copied = await eventsOf(child.id);
    expect(copied.slice(0, (steps[1] ?? 0) - 1)).toEqual(entries.slice(0, (steps[1] ?? 0) - 1));
    expect(copied.slice((steps[1] ?? 0) - 1).map(({ kind }) => kind)).toEqual([
      "command_queued",
      "answer",
      "run_ended",
    ]);
    expect(await eventsOf("parent")).toEqual(entries);
    await api.say(child.id, "/say On.");
    expect((await messagesOf(child.id)).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(await eventsOf("parent")).toEqual(entries);
  });

  test("has the pages that its entries have read, where they can be looked up", async () => {
    await api.say("reads", "/call site_overview {}\n/then\n/say Read.");
    const file = await exportOf("reads");
    const quote = "We open on 15 May.";
    const page = { page: "p1", url: "https://alps.example/", title: "Passes", date: null, digest: "d1" };
    const sources = {
      pages: [{ ...page, chars: quote.length, fetchedAt: 1_000 }],
      evidence: [{ id: "e1", page: "p1", start: 0, end: quote.length, quote }],
    };
    const entries = file.entries.map((entry) =>
      entry.kind === "call_settled" ? { ...entry, body: { ...entry.body, sources } } : entry,
    );
    const read = { ...file, entries, blobs: { p1: quote } };
    const seal = sealOf(exportSchema.parse(read));
    const parent = (await (await importOf({ ...read, seal })).json()) as SessionView;
    const child = await api.json<SessionView>(201, `/api/sessions/${parent.id}/fork`, {
      ...post({}),
      who: "root",
    });
    for (const id of [parent.id, child.id])
      expect(await api.json(200, `/api/sessions/${id}/pages/p1?evidence=e1`, { who: "root" })).toMatchObject({
        title: "Passes",
        text: quote,
        quote: { id: "e1", start: 0, end: quote.length },
      });
  });

  test("of one that waits for a person carries no approval over", async () => {
    await api.call(
      "/api/sessions/waits/messages",
      post({
        text: gated(),
      }),
    );
    await expect
      .poll(async () => (await eventsOf("waits")).at(-1)?.kind, { timeout: 10_000 })
      .toBe("approval_requested");
    const child = await api.json<SessionView>(201, "/api/sessions/waits/fork", post({}));
    expect(child).toMatchObject({ status: "idle", pendingApprovals: 0 });
    expect((await eventsOf(child.id)).map(({ kind }) => kind)).not.toContain("approval_requested");
    expect(await api.json(200, "/api/sessions/waits")).toMatchObject({
      status: "waiting",
      pendingApprovals: 1,
    });
    await api.call("/api/sessions/waits/cancel", post({ all: true }));
  });

  test("is made once for a key, and only by the owner", async () => {
    const key = { "idempotency-key": "fork-1" };
    const ask = () => api.call("/api/sessions/parent/fork", post({}, key));
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const other = await api.call("/api/sessions/parent/fork", post({ atSeq: 3 }, key));
    expect(await verdictOf(other)).toEqual([409, "idempotency_conflict"]);
    const bobs = await api.call("/api/sessions/parent/fork", { ...post({}), who: "bob" });
    expect(await verdictOf(bobs)).toEqual([404, "not_found"]);
  });
});
