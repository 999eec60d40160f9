import { expect, test } from "vitest";
import { createModel } from "../../../src/cairn/models/step.ts";
import { createRehearsalModel } from "../../../src/plugins/rehearsal/model.ts";
import { REHEARSAL_SIGNATURE as SIGNATURE } from "../../../src/plugins/rehearsal/answer-words.ts";
import { FakeD1 } from "../../sim/site/d1.ts";
import { seedSample, siteSession } from "../../sim/site/session.ts";
import type { FakePlatform } from "../../sim/platform/platform.ts";
import { ABOUT_IN_FOCUS, UNDERSTOOD } from "./sentences.ts";

/** The sentences in a whole session with the real tools: the loop, approvals, the sample site. */

const DAY_MS = 86_400_000;
const MODEL = createModel({ providers: () => Promise.resolve(createRehearsalModel()) });

/** Sends the message and approves every request; returns the failed calls, the writes, and the answer. */
async function send(platform: FakePlatform, text: string) {
  const before = platform.log.length;
  platform.say(text);
  for (let approvals = 0; approvals < 10; approvals++) {
    await platform.settle();
    if (platform.state.run?.phase.at !== "waiting_approval") break;
    platform.decide("approve");
  }
  const log = platform.log.slice(before);
  const calls = log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.tool] : []));
  const failed = log.flatMap((entry) =>
    entry.kind === "call_settled" && entry.body.status !== "ok" ? [JSON.stringify(entry.body)] : [],
  );
  const answer = log.findLast((entry) => entry.kind === "answer");
  return { calls, failed, answer: answer?.kind === "answer" ? answer.body.text : "" };
}

async function sampleSession() {
  const db = new FakeD1();
  const platform = siteSession(db, MODEL);
  await seedSample(db, platform.now - 30 * DAY_MS);
  return { db, platform };
}

test.each(UNDERSTOOD.filter(({ memory }) => memory === undefined || memory === ABOUT_IN_FOCUS))(
  "“$text” ends on the real site without a failed call",
  async ({ text, memory }) => {
    const { db, platform } = await sampleSession();
    await send(platform, "Create a page called Team");
    if (memory !== undefined) await send(platform, "what is on the about page?");
    const { calls, failed, answer } = await send(platform, text);
    expect({ failed, answer }).toEqual({ failed: [], answer });
    expect(calls.length).toBeGreaterThan(0);
    expect(answer).toContain(SIGNATURE);
    expect(answer).not.toContain("I could not");
    db.close();
    platform.disk.close();
  },
);

test("a change that is there already is reported as that, and nobody has to approve it", async () => {
  const { db, platform } = await sampleSession();
  const change = 'Change the title of the hero on the home page to "Slowly"';
  expect((await send(platform, change)).answer).toContain('is "Slowly" now');
  const before = platform.log.length;
  const again = await send(platform, change);
  expect(again.failed).toEqual([]);
  expect(again.answer).toContain("it was like this already");
  expect(platform.log.slice(before).map(({ kind }) => kind)).not.toContain("approval_requested");
  db.close();
  platform.disk.close();
});
