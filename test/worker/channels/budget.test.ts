import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { issueButtons } from "../../../src/plugins/channels/people/buttons.ts";
import { post } from "../http/routes-fixture.ts";
import { openApi, type Person } from "../sessions/session-fixture.ts";
import { openChat, person } from "./chat.ts";

/** A run that may have more: asked by HTTP, in the inbox, and by the buttons of a card. */

/** the inbox is a copy that may lag */
const LAGS = { timeout: 10_000 };
const HOUR_MS = 3_600_000;
let pages = 0;
/** Four of five calls, then one that waits for a yes: the question about the budget is open for as long. */
function reads(): string {
  const name = `Budget${(pages += 1)}`;
  const calls = [
    ["page_create", { name }] as const,
    ["page_list", {}] as const,
    ...["a", "b"].map((query) => ["find", { query }] as const),
    ["page_delete", { pages: [name.toLowerCase()] }] as const,
  ];
  const lines = calls.flatMap(([tool, input]) => [`/call ${tool} ${JSON.stringify(input)}`, "/then"]);
  return [...lines, "/say It is all there."].join("\n");
}

interface Asked {
  readonly id: string;
  readonly state: string;
  readonly adds: object;
  readonly what: string;
  readonly askedAt: string;
}

afterEach(() => vi.restoreAllMocks());

async function asking() {
  const chat = openChat();
  const api = openApi({}, { channels: chat.channels });
  const { id: runId, sessionId } = await api.json<{ id: string; sessionId: string }>(
    202,
    "/api/runs",
    post({ objective: reads(), max_iterations: 9, budget: { tool_calls: 5 } }),
  );
  const open = await vi.waitFor(async () => {
    const inbox = await api.json<{ budgetQuestions: (Asked & { runId: string })[] }>(200, "/api/inbox");
    const found = inbox.budgetQuestions.find((one) => one.runId === runId);
    if (found === undefined) throw new Error("nothing is asked yet");
    return found;
  }, LAGS);
  const answer = (decision: string, who: Person = "alice", askedAt: string | undefined = open.askedAt) =>
    api.call(`/api/sessions/${sessionId}/budget-questions/${open.id}`, {
      ...post({ decision, askedAt }),
      who,
    });
  return { api, chat, runId, sessionId, open, answer };
}

describe("the question whether a run may have more", () => {
  test("stands in the inbox, and is answered once over HTTP", async () => {
    const { api, open, answer, runId, sessionId } = await asking();
    expect(open).toMatchObject({ id: "r1b1", state: "open", what: "toolCalls", adds: { toolCalls: 3 } });
    expect((await answer("more")).status).toBe(400);
    expect((await answer("extend", "bob")).status).toBe(404);
    // The question of an earlier session that had the name.
    const earlier = new Date(Date.parse(open.askedAt) - 1).toISOString();
    expect((await answer("extend", "alice", earlier)).status).toBe(404);
    expect((await answer("extend", "alice", "")).status).toBe(400);
    const yes = await answer("extend");
    expect([yes.status, await yes.json()]).toEqual([
      200,
      expect.objectContaining({ state: "extended", by: "alice" }),
    ]);
    const unnamed = { ...post({ decision: "extend" }), who: "alice" } as const;
    const again = await api.call(`/api/sessions/${sessionId}/budget-questions/${open.id}`, unnamed);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    const late = await answer("finish");
    expect([late.status, await late.json()]).toEqual([
      409,
      expect.objectContaining({ budgetQuestion: expect.objectContaining({ state: "extended" }) }),
    ]);
    await vi.waitFor(async () => {
      const { budgetQuestions } = await api.json<{ budgetQuestions: { runId: string }[] }>(200, "/api/inbox");
      expect(budgetQuestions.filter((one) => one.runId === runId)).toEqual([]);
    }, LAGS);
  });

  test("is answered by a button, by the one to whom it was shown, once", async () => {
    const { api, chat, sessionId, open } = await asking();
    const id = `u-${crypto.randomUUID().slice(0, 8)}`;
    const alice = person(id);
    const hears = (body: object) =>
      api.call("/channels/telegram", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "x-secret": "right" },
        who: null,
      });
    const { code } = await api.json<{ code: string }>(201, "/api/links", { method: "POST" });
    await hears(alice.commands("link", code));
    const button = {
      sessionAt: null,
      session: sessionId,
      approval: open.id,
      shown: "",
      userId: id,
      expiresAt: Date.now() + HOUR_MS,
      address: { channel: "telegram", place: id } as const,
    };
    const { createdAt } = await api.json<{ createdAt: string }>(200, `/api/sessions/${sessionId}`);
    const sessionAt = Date.parse(createdAt);
    const [yes = "", no = "", before = ""] = await issueButtons(
      env.DB,
      [
        { ...button, sessionAt, decision: "extend" },
        { ...button, sessionAt, decision: "finish" },
        // A deleted session of the same name had it.
        { ...button, sessionAt: sessionAt - 1, decision: "finish" },
      ],
      Date.now(),
    );
    await hears(alice.presses(before));
    expect(chat.told.at(-1)).toContain("No such question");
    await hears(person(`${id}-other`).presses(no));
    expect(chat.told.at(-1)).not.toContain("finishes");
    await hears(alice.presses(yes));
    expect(chat.told.at(-1)).toBe("It has more.");
    await hears(alice.presses(no));
    expect(chat.told.at(-1)).toContain("not open any more");
  });
});
