import { expect, test } from "vitest";
import type { FakePlatform, Line } from "../platform/platform.ts";
import { CHAT, messengerPlatform } from "./messenger.ts";
import { Chat } from "./chat.ts";

/** Work for a time of its own that was begun in a chat: what it says on its way and at its end goes there. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "channel" } as const;
const MINUTE_MS = 60_000;

/** A person in a chat has had a capsule begun, and has said yes; each of its steps takes so long. */
async function begun(
  minutes: number,
  step: (n: number) => Line,
  stepMs: number,
): Promise<{ platform: FakePlatform; told: readonly { readonly text: string }[] }> {
  const { platform, told } = messengerPlatform(({ step: name, tools }) => {
    if (name === "r1s1")
      return { calls: [["start_time_capsule", { goal: "Count the huts", minutes, costUsd: 5 }]] };
    if (name.startsWith("r1")) return { text: "It is begun." };
    return tools.length === 0 ? { text: "So many huts I have counted." } : step(Number(name.slice(3)));
  });
  platform.plans = true;
  platform.chat = new Chat(
    (where) => platform.cross(where),
    () => platform.now,
  );
  platform.restart();
  await platform.api.send(ADA, {
    id: "m1",
    digest: "m1",
    parts: [{ type: "text", text: `Count huts for ${minutes} minutes` }],
    mode: null,
    source: "api",
    request: null,
    ask: {},
    origin: CHAT,
  });
  await platform.settle();
  platform.decide("approve");
  platform.onModel = ({ step: name }) => {
    if (name.startsWith("r2")) platform.now += stepMs;
  };
  await platform.settle();
  return { platform, told };
}

const hut = (n: number): [string, { name: string }] => ["look", { name: `hut ${n}` }];
const counts = (n: number): Line => ({ calls: [hut(n)] });
/** no two of them are alike */
const PEAKS = Array.from(
  "abcdefghijklmnopqrstuvwxyz",
  (letter) => `Beside the peak ${letter.repeat(9)} stands hut`,
);

test("a capsule of ten minutes ends at its deadline, with a last message where it was begun", async () => {
  // The model would go on forever.
  const { platform } = await begun(10, counts, MINUTE_MS);
  const started = platform.log.find((entry) => entry.kind === "run_started" && entry.run === "r2");
  const ended = platform.log.find((entry) => entry.kind === "run_ended" && entry.run === "r2");
  expect(ended?.body).toMatchObject({ outcome: "completed_partial", reason: "deadline" });
  const took = (ended?.at ?? 0) - (started?.at ?? 0);
  expect(took).toBeGreaterThan(8 * MINUTE_MS);
  expect(took).toBeLessThan(11 * MINUTE_MS + 1_000);
  const said = platform.chat?.seen.filter(({ type }) => type === "message") ?? [];
  expect(said.map(({ target }) => target)).toEqual(["place:telegram:4711", "place:telegram:4711"]);
  expect(said.at(-1)?.text).toContain("So many huts I have counted.");
});

test("scenario 14: it goes past thirty steps, ten messages and ten minutes", async () => {
  const { platform, told } = await begun(
    200,
    // A word with every third hut, each about another one, a quarter of an hour after the last.
    (n) =>
      n % 3 === 0 ? { calls: [hut(n), ["send_message", { text: `${PEAKS[n / 3]} ${n}.` }]] } : counts(n),
    5 * MINUTE_MS,
  );
  const ended = platform.log.find((entry) => entry.kind === "run_ended" && entry.run === "r2");
  const started = platform.log.find((entry) => entry.kind === "run_started" && entry.run === "r2");
  expect(ended?.body).toMatchObject({ reason: "deadline" });
  expect(ended?.kind === "run_ended" && ended.body.steps).toBeGreaterThan(30);
  expect(told.length).toBeGreaterThan(10);
  expect((ended?.at ?? 0) - (started?.at ?? 0)).toBeGreaterThan(10 * MINUTE_MS);
});
