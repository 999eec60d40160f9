import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { issueButtons, type Button } from "../../../src/plugins/channels/people/buttons.ts";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import { openChat, person } from "../channels/chat.ts";
import { gated, openApi } from "../sessions/session-fixture.ts";

/** Presses that nobody should make, of buttons that are real, were real or never were. test/plugins/channels/presses.test.ts has more of them. */

const PRESSES = 500;
/** so many at once */
const ABREAST = 50;
const HOUR_MS = 3_600_000;
const WAIT = { timeout: 20_000 };

const chat = openChat();
const api = openApi({}, { channels: chat.channels });
const hears = async (body: object): Promise<void> => {
  const init = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "x-secret": "right" },
    who: null,
  };
  expect((await api.call("/channels/telegram", init)).status).toBe(200);
};

const READER = { subject: "alice", scopes: ["read"], via: "http" } as const;
const eventsOf = async (session: string) => {
  const found = await sessionClient(env, session).events(READER, 0, 200);
  if (!found.ok) throw new Error(found.error.message);
  return found.value.items;
};
const decisionsIn = async (session: string): Promise<number> =>
  (await eventsOf(session)).filter(({ kind }) => kind === "approval_decided").length;

/** Alice in a chat of her own, where an approval waits, and the button that would give it. */
async function waiting() {
  const id = `u-${crypto.randomUUID().slice(0, 8)}`;
  const alice = person(id);
  const { code } = await api.json<{ code: string }>(201, "/api/links", { method: "POST" });
  await hears(alice.commands("link", code));
  await hears(alice.says(gated()));
  const session =
    (await env.DB.prepare("SELECT session FROM channel_places WHERE place = ?1")
      .bind(id)
      .first<string>("session")) ?? "";
  const asked = await vi.waitFor(async () => {
    const found = (await eventsOf(session)).find(({ kind }) => kind === "approval_requested");
    if (found?.kind !== "approval_requested") throw new Error("nothing waits yet");
    return found.body;
  }, WAIT);
  const button: Button = {
    sessionAt: null,
    session,
    approval: asked.approval,
    shown: asked.digest,
    userId: id,
    decision: "approve",
    address: { channel: "telegram", place: id },
    expiresAt: Date.now() + HOUR_MS,
  };
  const issue = async (more: Partial<Button> = {}): Promise<string> =>
    (await issueButtons(env.DB, [{ ...button, ...more }], Date.now()))[0] ?? "";
  return { id, alice, session, issue };
}

test("no press decides that is forged, replayed, late, of others, of strangers or of what is gone", async () => {
  const open = await waiting();
  const bob = await waiting();
  const decided = await waiting();
  const gone = await waiting();
  const [real, late, other, used, again, lost] = await Promise.all([
    open.issue(),
    open.issue({ expiresAt: Date.now() - 1 }),
    open.issue({ shown: "0".repeat(64) }),
    decided.issue({ decision: "deny" }),
    decided.issue(),
    gone.issue(),
  ]);
  await hears(decided.alice.presses(used));
  await sessionClient(env, gone.session).remove({ subject: "alice", scopes: ["send"], via: "http" });
  chat.told.length = 0;

  const forged = (n: number): string => `${real.slice(0, -4)}${String(n).padStart(4, "0")}`;
  const kinds: readonly (readonly [name: string, press: (n: number) => object])[] = [
    ["forged", (n) => open.alice.presses(forged(n))],
    ["late", () => open.alice.presses(late)],
    ["for something else", () => open.alice.presses(other)],
    ["of a chat elsewhere", () => person(open.id, "elsewhere").presses(real)],
    ["of another person", () => bob.alice.presses(real)],
    ["of another person of the chat", () => person(bob.id, open.id).presses(real)],
    ["of a stranger", (n) => person(`stranger-${n}`, open.id).presses(real)],
    ["replayed", () => decided.alice.presses(used)],
    ["after the decision", () => decided.alice.presses(again)],
    ["of a session that is gone", () => gone.alice.presses(lost)],
  ];
  const began = performance.now();
  for (let from = 0; from < PRESSES; from += ABREAST)
    await Promise.all(
      Array.from({ length: ABREAST }, (_, at) => {
        const n = from + at;
        return hears(kinds[n % kinds.length]?.[1](n) ?? {});
      }),
    );
  const ms = performance.now() - began;

  expect(chat.told).toHaveLength(PRESSES);
  const yes = chat.told.filter((text) => text.startsWith("Approved"));
  expect(yes).toEqual([]);
  expect([await decisionsIn(open.session), await decisionsIn(bob.session)]).toEqual([0, 0]);
  expect(await decisionsIn(decided.session)).toBe(1);
  expect((await api.call(`/api/sessions/${gone.session}`)).status).toBe(404);
  console.log(
    `${PRESSES} presses in ${Math.round(ms / 1000)} s, ${kinds.length} kinds (${kinds.map(([name]) => name).join(", ")}): 0 decisions`,
  );

  // The button that they were all about still does what it says.
  await hears(open.alice.presses(real));
  expect(chat.told.at(-1)).toBe("Approved.");
  expect(await decisionsIn(open.session)).toBe(1);
});
