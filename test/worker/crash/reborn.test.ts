import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { createOutside, outsideOf, type Line, type Place } from "./outside.ts";
import { ada, api, disk, expectSound, given, left, say, stands, stubOf } from "./session.ts";

/** A session is deleted while an effect of it is at work, and one of its name begins before that effect has ended. */

async function reborn(session: string, lines: readonly Line[], place: Place): Promise<void> {
  createOutside(session, lines, place);
  await say(session);
  await stands(session);
  await given(api(session).remove(ada));
  await say(session, "m2");
  await runInDurableObject(stubOf(session), () => outsideOf(session).goOn());
  await left(session, "run_ended");
}

test("a reply of the first life is not the second's, which goes on by itself", async () => {
  const session = "reborn-in-a-model-call";
  await reborn(session, [{ text: "Hello." }], "asked: nothing has come yet");
  const log = await expectSound(session);
  expect(log.filter(({ kind }) => kind === "user_message")).toMatchObject([{ body: { id: "m2" } }]);
  expect(outsideOf(session).requests).toHaveLength(2);
});

test("a call of the first life is not the second's, though both have the same name", async () => {
  const session = "reborn-in-a-call";
  await reborn(session, [{ calls: [["put", "it"]] }], "put: before");
  const { log } = await disk(session);
  const keys = log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.key] : []));
  const put = [...outsideOf(session).put.keys()];
  expect(keys).toHaveLength(1);
  expect(put).toHaveLength(2);
  expect(put).toContain(keys[0]);
  expect(new Set(put.map((key) => key.replace(/@\d+\//, "/"))).size).toBe(1);
});
