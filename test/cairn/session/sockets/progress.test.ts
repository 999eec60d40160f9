import { describe, expect, it } from "vitest";
import * as z from "zod";
import { namedRunView } from "../../../../src/cairn/session/commands/views.ts";
import { definePack, defineTool } from "../../../../src/cairn/tools/define.ts";
import { LiveSession, RawClient } from "./session-fixture.ts";

/** How far a tool is, as it reaches whoever watches while it runs. */

interface Shown {
  readonly note: string | null;
  readonly percent: number | null;
  readonly phase: string;
}

/** The transient `data-step` parts that came over the stock chat. */
const shownTo = (client: RawClient): Shown[] =>
  client
    .ofType("cf_agent_use_chat_response")
    .filter((frame) => frame["seq"] === undefined && String(frame["body"]).startsWith('{"type":"data-step"'))
    .map((frame) => (JSON.parse(String(frame["body"])) as { data: Shown }).data);

/** A session whose one tool says that it is halfway, and then works until `release`. */
function crawling(): { readonly session: LiveSession; readonly halfway: Promise<void>; release: () => void } {
  const session = new LiveSession([{ calls: [["crawl", {}]] }, { text: "It is done." }]);
  let release = (): void => {};
  let reached = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const halfway = new Promise<void>((resolve) => (reached = resolve));
  const crawl = defineTool<null, z.ZodType, { readonly ok: boolean }>({
    name: "crawl",
    description: "Crawls.",
    input: z.strictObject({}),
    effect: "read",
    tier: "open",
    run: async (_input, { progress }) => {
      progress("half of it", 50);
      reached();
      await held;
      return { ok: true };
    },
  });
  session.own = (tools) =>
    void tools.add(definePack({ name: "own", tools: [crawl], prompts: [], services: () => null }), {});
  session.boot();
  return { session, halfway, release };
}

describe("the progress of a tool", () => {
  it("comes while it runs, in a part that nobody keeps, and is gone when it has ended", async () => {
    const { session, halfway, release } = crawling();
    await session.say("Crawl.", "m1");
    const client = await RawClient.connect(session);
    const worked = session.settle();
    await halfway;
    expect(shownTo(client)).toMatchObject([{ note: "half of it", percent: 50, phase: "acting" }]);
    const { head } = session.state;
    expect(session.store.entriesAfter(0, 100).at(-1)).toMatchObject({ seq: head, kind: "call_intended" });
    release();
    await worked;
    expect(shownTo(client).at(-1)).toMatchObject({ note: null, percent: null });
    expect(JSON.stringify(session.store.entriesAfter(0, 100))).not.toContain("half of it");
    const [message] = client.ofType("cf_agent_message_updated").slice(-1);
    expect(JSON.stringify(message)).toContain("It is done.");
    expect(JSON.stringify(message)).not.toContain("half of it");
  });

  it("is told to who comes back while it runs, and to nobody after a new start", async () => {
    const { session, halfway, release } = crawling();
    await session.say("Crawl.", "m1");
    const first = await RawClient.connect(session);
    const worked = session.settle();
    await halfway;
    first.leave();
    const native = await RawClient.connect(session);
    await native.send({ type: "cairn:resume", eventId: "e1", runId: "ses_demo.r1", pos: 0 });
    const transient = native.ofType("cairn:chunk").filter((frame) => frame["pos"] === null);
    expect(transient.map((frame) => frame["chunk"])).toContainEqual(
      expect.objectContaining({
        type: "data-step",
        transient: true,
        data: expect.objectContaining({ note: "half of it", percent: 50 }) as unknown,
      }),
    );
    release();
    await worked;
    const late = await RawClient.connect(session);
    await late.send({ type: "cairn:resume", eventId: "e1", runId: "ses_demo.r1", pos: 0 });
    expect(JSON.stringify(late.frames)).not.toContain("half of it");
  });
});

describe("the progress that a model notes", () => {
  it("is the note of its step, live and replayed, and stands in the view of the run", async () => {
    const session = new LiveSession([
      { calls: [["log_progress", { message: "Halfway", percent: 50 }]] },
      { text: "All of it." },
    ]);
    await session.say("Do it.", "m1");
    const live = await RawClient.connect(session);
    await live.send({ type: "cairn:resume", eventId: "e1", runId: "ses_demo.r1", pos: 0 });
    await session.settle();
    const late = await RawClient.connect(session);
    await late.send({ type: "cairn:resume", eventId: "e1", runId: "ses_demo.r1", pos: 0 });
    for (const client of [live, late]) {
      const notes = client
        .ofType("cairn:chunk")
        .map((frame) => frame["chunk"] as { type: string; id?: string; data: Shown })
        .filter(({ type, id }) => type === "data-step" && id === "r1s1")
        .map(({ data: { phase, note, percent } }) => [phase, note, percent]);
      expect(notes).toEqual([
        ["thinking", null, null],
        ["acting", null, null],
        ["acting", "Halfway", 50],
        ["done", "Halfway", 50],
      ]);
    }
    const view = namedRunView("ses_demo", session.state, session.store, "r1");
    expect(view?.progress).toEqual({ text: "Halfway", percent: 50 });
  });
});
