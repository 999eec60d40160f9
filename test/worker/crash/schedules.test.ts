import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { ScheduleView } from "../../../src/cairn/session/api/session-api.ts";
import { createOutside, outsideOf, type Place } from "./outside.ts";
import { ada, api, expectSound, given, left, say, stands, stubOf } from "./session.ts";

/**
 * The object dies at every moment of a schedule, and its text is said once, by itself. All sessions are brought to their
 * moments, all of them die at once, and each is then left alone.
 */

const AHEAD_MS = 1_000;

async function schedule(session: string): Promise<ScheduleView> {
  const at = new Date(Date.now() + AHEAD_MS).toISOString();
  const command = {
    id: "sch_one",
    digest: "",
    text: "Look.",
    timing: { at },
    catchUp: "once",
    agent: null,
  } as const;
  const made = await given(api(session).schedule(ada, command));
  return made.schedule;
}

interface Moment {
  readonly name: string;
  /** where it stands still when it dies */
  readonly at?: Place;
  /** a run that is at work when the time comes */
  readonly busy?: true;
  /** it dies by itself when the entry of this kind is shown */
  readonly showing?: Entry["kind"];
}

const MOMENTS: readonly Moment[] = [
  { name: "right after it was made" },
  { name: "between the commit of its run and its publishing", showing: "step_started" },
  { name: "when its run has asked the model", at: "asked: nothing has come yet" },
  { name: "when the answer is whole and not committed", at: "spoken: the reply is whole" },
  { name: "when its time comes in the middle of another run", at: "asked: nothing has come yet", busy: true },
  { name: "when it was said and its run has ended", showing: "run_ended" },
];

const sessionOf = ({ name }: Moment): string => `sch-${name.replaceAll(/\W+/g, "-")}`.slice(0, 64);
const made = new Map<string, ScheduleView>();

async function arrive(moment: Moment): Promise<void> {
  const session = sessionOf(moment);
  const outside = createOutside(session, [], moment.at);
  if (moment.busy) {
    await say(session);
    await stands(session);
  }
  const view = await schedule(session);
  made.set(session, view);
  if (moment.showing !== undefined) {
    outside.diesShowing = moment.showing;
    await vi.waitUntil(() => outside.diesShowing === null, { timeout: 20_000, interval: 5 });
    return;
  }
  if (moment.at === undefined) return;
  await stands(session);
  if (moment.busy) await vi.waitUntil(() => Date.now() > Date.parse(view.at ?? ""), { timeout: 20_000 });
}

beforeAll(async () => {
  await Promise.all(MOMENTS.map(arrive));
  await abortAllDurableObjects();
});

describe("an object with a schedule that dies", () => {
  test.each(MOMENTS)("$name", async (moment) => {
    const session = sessionOf(moment);
    await left(session, "run_ended", moment.busy ? 2 : 1);
    const log = await expectSound(session);
    const { id, at } = made.get(session)!;
    const said = log.flatMap((entry) =>
      entry.kind === "user_message" && entry.body.source === "schedule" ? [entry] : [],
    );
    expect(said.map(({ body }) => body.id)).toEqual([`${id}.${Date.parse(at ?? "")}`]);
    expect(said[0]?.at).toBeGreaterThanOrEqual(Date.parse(at ?? ""));
    expect(log.filter((entry) => entry.kind === "answer")).toHaveLength(moment.busy ? 2 : 1);
    expect(outsideOf(session).ended).toBe(true);
    const kept = await runInDurableObject(stubOf(session), (_object, { storage }) =>
      storage.sql.exec("SELECT id FROM schedules").toArray(),
    );
    expect(kept).toEqual([]);
  });
});
