import { Hono } from "hono/tiny";
import { afterAll, describe, expect, test } from "vitest";
import { issueButtons, type Button } from "../../../src/plugins/channels/people/buttons.ts";
import { createCode } from "../../../src/plugins/channels/people/links.ts";
import { mountChannels } from "../../../src/plugins/channels/http/receive-events.ts";
import type { ChannelDeps } from "../../../src/plugins/channels/http/deps.ts";
import type { HttpEnv } from "../../../src/cairn/http/kit/route.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";
import { FakeD1 } from "../../sim/site/d1.ts";
import { parseConfig } from "../../fixtures/config.ts";
import { openChat, person } from "../../worker/channels/chat.ts";

/**
 * Ten thousand presses that nobody should make, through the door of channels and the sessions of the simulation.
 * test/worker/doors/presses.test.ts has fewer of them, in the real runtime.
 */

const PRESSES = 10_000;
const HOUR_MS = 3_600_000;
const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;

const d1 = new FakeD1();
afterAll(() => d1.close());
const chat = openChat();
const sessions = new Map<string, FakePlatform>();
const app = new Hono<HttpEnv>();
let now = 1_700_000_000_000;
mountChannels(app, {
  config: parseConfig({ AUTH_TOKENS: { "ada-press-token-0001": { subject: "ada", scopes: ADA.scopes } } }),
  channels: chat.channels,
  sessions: (id: string) => sessions.get(id)?.api,
  now: () => now,
  newId: () => "ses_unused",
  report: () => {},
} as unknown as ChannelDeps);

async function hears(body: object): Promise<void> {
  const init = { method: "POST", body: JSON.stringify(body), headers: { "x-secret": "right" } };
  const answered = await app.request("/channels/telegram", init, { DB: d1.binding } as Env);
  expect(answered.status).toBe(200);
}

/** Somebody linked in a chat of their own, for whom an approval waits. */
async function waiting(id: string) {
  const platform = new FakePlatform([{ calls: [["publish", { name: id }]] }, { text: "It is public." }]);
  platform.service.admitOrCreate(ADA);
  platform.say("Publish it");
  await platform.settle();
  const phase = platform.state.run?.phase;
  if (phase?.at !== "waiting_approval") throw new Error("nothing waits");
  sessions.set(id, platform);
  const who = person(id);
  const { code } = await createCode(d1.binding, { subject: "ada", scopes: ADA.scopes }, now);
  await hears(who.commands("link", code));
  const { approval, digest: shown } = phase.approval;
  const button: Button = {
    sessionAt: platform.store.loadMeta()?.createdAt ?? null,
    session: id,
    approval,
    shown,
    userId: id,
    decision: "approve",
    address: { channel: "telegram", place: id },
    expiresAt: now + HOUR_MS,
  };
  const issue = async (more: Partial<Button> = {}): Promise<string> =>
    (await issueButtons(d1.binding, [{ ...button, ...more }], now))[0] ?? "";
  const decisions = (): number => platform.kinds.filter((kind) => kind === "approval_decided").length;
  return { id, platform, who, issue, decisions };
}

describe("ten thousand presses", () => {
  test("that are forged, replayed, late, of others, of strangers or of what is gone decide nothing", async () => {
    const [open, bob, decided, gone] = [
      await waiting("alice"),
      await waiting("bob"),
      await waiting("carol"),
      await waiting("dora"),
    ];
    const [late, real, other, used, again, lost] = [
      await open.issue({ expiresAt: now + 1_000 }),
      await open.issue(),
      await open.issue({ shown: "0".repeat(64) }),
      await decided.issue({ decision: "deny" }),
      await decided.issue(),
      await gone.issue(),
    ];
    now += 1_001;
    await hears(decided.who.presses(used));
    expect(decided.decisions()).toBe(1);
    await gone.platform.api.remove(ADA);
    chat.told.length = 0;

    const kinds: readonly (readonly [name: string, press: (n: number) => object])[] = [
      ["forged", (n) => open.who.presses(`${real.slice(0, -4)}${String(n).padStart(4, "0")}`)],
      [
        "of nothing",
        (n) => open.who.presses(["", real.toLowerCase(), `${real} `, `${real}${n}`][n % 4] ?? ""),
      ],
      ["late", () => open.who.presses(late)],
      ["for something else than was shown", () => open.who.presses(other)],
      ["of a chat elsewhere", () => person("alice", "elsewhere").presses(real)],
      ["of another person", () => bob.who.presses(real)],
      ["of another person of the chat", () => person("bob", "alice").presses(real)],
      ["of a stranger", (n) => person(`stranger-${n}`, "alice").presses(real)],
      ["replayed, or after the decision", (n) => decided.who.presses(n % 3 === 0 ? again : used)],
      ["of a session that is gone", () => gone.who.presses(lost)],
    ];
    const began = performance.now();
    for (let n = 0; n < PRESSES; n += 1) await hears(kinds[n % kinds.length]?.[1](n) ?? {});
    const ms = performance.now() - began;

    expect(chat.told).toHaveLength(PRESSES);
    expect(chat.told.filter((text) => text.startsWith("Approved"))).toEqual([]);
    expect([open.decisions(), bob.decisions(), decided.decisions()]).toEqual([0, 0, 1]);
    expect(gone.platform.log).toEqual([]);
    console.log(
      `${PRESSES} presses of ${kinds.length} kinds in ${(ms / 1_000).toFixed(1)} s: 0 decisions (${kinds.map(([name]) => name).join("; ")})`,
    );

    // The button that most of them were about still does what it says.
    await hears(open.who.presses(real));
    expect([chat.told.at(-1), open.decisions()]).toEqual(["Approved.", 1]);
  });
});
