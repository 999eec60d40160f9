import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { onDiagnostics, publishDiagnostics } from "../../../src/cairn/session/diagnostics.ts";
import { makeSite } from "../cms/fixture.ts";
import { post } from "../http/routes-fixture.ts";
import { gated, openApi } from "./session-fixture.ts";

/** Events of sessions on the channels of the isolate. */

beforeAll(makeSite);
const api = openApi();
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

interface Seen {
  readonly name: string;
  readonly event: { readonly session: string; readonly seq: number; readonly state: string };
}

function watch(session: string): readonly Seen[] {
  const seen: Seen[] = [];
  for (const name of ["cairn:run", "cairn:step", "cairn:call", "cairn:approval"] as const)
    ends.push(
      onDiagnostics(name, (event) => {
        if (event.session === session) seen.push({ name, event });
      }),
    );
  return seen;
}

const states = (seen: readonly Seen[]): readonly string[] =>
  seen.map(({ name, event }) => `${name} ${event.state}`);

const complaints = (): string[] => {
  const lines: string[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((...words) => void lines.push(words.join(" ")));
  ends.push(() => spy.mockRestore());
  return lines;
};

test("each entry becomes one event once it is stored, also when the object has ended in between", async () => {
  const seen = watch("diagnosed");
  await api.say("diagnosed", gated());
  expect(states(seen)).toEqual([
    "cairn:run queued",
    "cairn:run started",
    "cairn:step started",
    "cairn:step replied",
    "cairn:call intended",
    "cairn:call settled",
    "cairn:step started",
    "cairn:step replied",
    "cairn:approval requested",
  ]);
  const asked = seen.at(-1)?.event;
  expect(asked).toEqual({
    session: "diagnosed",
    run: "diagnosed.r1",
    step: "r1s2",
    seq: expect.any(Number),
    at: expect.any(Number),
    state: "requested",
    approval: "r1s2c0a1",
    call: "r1s2c0",
    tool: "page_delete",
    expiresAt: expect.any(Number),
  });

  await evictDurableObject(env.SESSION.get(env.SESSION.idFromName("diagnosed")));
  await api.json(200, "/api/sessions/diagnosed/approvals/r1s2c0a1", post({ decision: "approve" }));
  await expect.poll(() => states(seen).at(-1)).toBe("cairn:run ended");
  expect(states(seen).slice(9)).toEqual([
    "cairn:approval decided",
    "cairn:call intended",
    "cairn:call settled",
    "cairn:step started",
    "cairn:step replied",
    "cairn:run ended",
  ]);
  expect(seen.at(-1)?.event).toMatchObject({
    outcome: "answered",
    reason: null,
    steps: 3,
    usage: { outputTokens: expect.any(Number), cost: 0 },
    activeMs: expect.any(Number),
  });
  const { items } = await api.json<{ items: { seq: number; kind: string; runId: string | null }[] }>(
    200,
    "/api/sessions/diagnosed/events",
  );
  const kinds =
    /^(run_queued|run_started|run_ended|step_started|model_\w+|call_intended|call_settled|approval_\w+)$/;
  expect(seen.map(({ event }) => event.seq)).toEqual(
    items.filter(({ kind }) => kinds.test(kind)).map(({ seq }) => seq),
  );
});

test("an event holds no words of people, models and tools", async () => {
  const seen = watch("wordless");
  await api.say("wordless", '/call page_list {"limit":7}\n/then\n/say The secret word is heliotrope.');
  await expect.poll(() => states(seen).at(-1)).toBe("cairn:run ended");
  expect(JSON.stringify(seen)).not.toMatch(/heliotrope|limit/);
});

test("a listener that throws is reported, and harms neither the run nor who watches it", async () => {
  const lines = complaints();
  const fail = (): void => {
    throw new Error("metrics are away");
  };
  ends.push(onDiagnostics("cairn:run", fail));
  subscribe("cairn:step", fail);
  ends.push(() => void unsubscribe("cairn:step", fail));
  // The stream of the run is another audience of the same entries.
  await api.say("thrown-at", "/say Done.");
  expect(new Set(lines.map((line) => line.split("\n", 1)[0]))).toEqual(
    new Set(["cairn: a diagnostics listener failed Error: metrics are away"]),
  );
});

test("no entry is looked at without a subscriber", () => {
  const untouchable = new Proxy<Entry[]>([], {
    get: () => {
      throw new Error("an entry was looked at");
    },
  });
  const report = (): void => undefined;
  publishDiagnostics("unwatched", untouchable, report);
  ends.push(onDiagnostics("cairn:run", () => undefined));
  expect(() => publishDiagnostics("watched", untouchable, report)).toThrow("looked at");
});
