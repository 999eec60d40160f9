import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { PromptMessage } from "../../../src/cairn/core/log/model.ts";
import { play, type Script } from "../play.ts";
import { SCRIPTS } from "../scripts/scripts.ts";
import type { FakePlatform } from "../platform/platform.ts";

/**
 * Everything that a scripted run comes to, transaction by transaction: entries, claim and alarm, what the model was asked and
 * what tools were begun with. A change that was not meant shows itself here; one that was is taken with
 * `npx vitest run --project core test/sim/runs/conversations.test.ts -u`, and read before it is committed.
 */

// Some of these die, and a dying isolate complains on its way out.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const T0 = 1_700_000_000_000;
const TEXT_SHOWN = 160;
/** fields that tell of the wording of prompts and tools, of estimates made from them, and of what guards make of a call */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "promptChars",
  "promptTokens",
  "promptDigest",
  "prompt",
  "size",
  "reservedTokens",
  "reservedCost",
  "grant",
  "traits",
  "access",
  "mark",
  "words",
]);

const since = (at: unknown): string => (at === null || at === undefined ? "-" : `+${Number(at) - T0}`);

/** As JSON, with times since the beginning, long texts by their ends, and without what is left out. */
function plain(value: unknown): string {
  return JSON.stringify(value, (key, item: unknown) => {
    if (LEFT_OUT.has(key)) return undefined;
    if (typeof item === "number" && item >= T0 && item < T0 * 2) return since(item);
    if (typeof item === "string" && /^sha256:[0-9a-f]{64}$/.test(item)) return item.slice(7, 15);
    if (typeof item === "string" && item.length > TEXT_SHOWN)
      return `${item.slice(0, TEXT_SHOWN / 2)}…${item.slice(-TEXT_SHOWN / 4)} (${item.length})`;
    if (typeof item === "object" && item !== null && "estimated" in item && item.estimated === true)
      return "estimated";
    return item;
  });
}

const line = ({ seq, at, run, step, kind, body }: Entry): string =>
  `${seq} ${since(at)} ${run ?? "-"} ${step ?? "-"} ${kind} ${plain(body)}`;

/** The block that changes with every step is told of by the tests of prompts. */
const message = (one: PromptMessage): string => {
  const text = plain(one.role === "tool" ? one.results : one.parts);
  return `    ${one.role} ${text.includes("<cairn-situation>") ? "situation" : text}`;
};

/** Writes down what crosses the ports of the platform, whichever isolate stands in it. */
function taped(script: Script): { readonly script: Script; readonly tape: string[] } {
  const tape: string[] = [];
  let head = 0;
  let begun = 0;
  let asked = 0;
  let before = "";
  const look = (platform: FakePlatform): void => {
    for (const entry of platform.store.entriesAfter(head, 1_000)) {
      head = entry.seq;
      tape.push(line(entry));
    }
    const [cursor] = platform.disk.exec("SELECT claim_no, claim_effect, armed_at, alarm_floor FROM cursor");
    const { claim_no: no, claim_effect: effect, armed_at: armed, alarm_floor: floor } = cursor ?? {};
    const now = `  claim ${no} ${effect ?? "none"}, armed ${since(armed)} above ${since(floor)}`;
    if (now !== before) tape.push(now);
    before = now;
  };
  const watch = (platform: FakePlatform, where: string): void => {
    for (; begun < platform.observer.begun.length; begun++) {
      const { what, effect, key, timeMs, guarded } = platform.observer.begun[begun] ?? {};
      tape.push(`  begun ${what} ${effect} ${key ?? "-"} ${timeMs ?? "-"} ${guarded}`);
    }
    for (; asked < platform.requests.length; asked++) {
      const request = platform.requests[asked];
      if (request === undefined) continue;
      const { model, step, attempt, tools, maxOutputTokens, temperature, timeoutMs } = request;
      const known = new Set(platform.requests[asked - 1]?.messages.map(message));
      const offers = tools.length === 0 ? "no tools" : "tools";
      tape.push(
        `  asked ${model} ${step} ${attempt} ${offers} ${maxOutputTokens} ${temperature} ${timeoutMs}`,
      );
      tape.push(...request.messages.map(message).filter((text) => !known.has(text)));
    }
    if (where === "commit: after") look(platform);
    if (where === "publish") tape.push("  published");
  };
  const platform = (): FakePlatform => {
    const made = script.platform();
    let inner = made.cross;
    Object.defineProperty(made, "cross", {
      get: () => (where: string) => {
        watch(made, where);
        inner(where);
      },
      set: (cross: (where: string) => void) => {
        inner = cross;
      },
    });
    return made;
  };
  return { script: { ...script, platform }, tape };
}

const fileOf = (name: string): string => name.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase();

test.each(SCRIPTS)("$name", async (one) => {
  const { script, tape } = taped(one);
  const { platform, faults } = await play(script, new Map());
  expect(faults).toEqual([]);
  const { alarm, rowsWritten } = platform.disk;
  tape.push(`at rest: alarm ${since(alarm)}, ${rowsWritten} rows written, ${platform.drafts.length} drafts`);
  await expect(`${tape.join("\n")}\n`).toMatchFileSnapshot(
    `../../fixtures/conversations/${fileOf(one.name)}.txt`,
  );
  platform.disk.close();
});
