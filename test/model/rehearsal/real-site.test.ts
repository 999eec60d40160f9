import { expect, test } from "vitest";
import { createModel } from "../../../src/model/step.ts";
import { createProviders } from "../../../src/model/providers.ts";
import { FakeD1 } from "../../sim/site/d1.ts";
import { seedSample, siteSession } from "../../sim/site/session.ts";
import type { FakePlatform } from "../../sim/platform/platform.ts";
import { SIGNATURE } from "../../../src/model/rehearsal/decide.ts";
import { ABOUT, PACKING, PHOTO, PHRASES, type Phrase } from "./phrases.ts";

/** The same words in a whole session with the real tools: the rehearsal model, the loop, approvals, the sample site. */

const DAY_MS = 86_400_000;
const MODEL = createModel({
  providers: createProviders({ ai: null, openaiCompatible: null, openrouter: null, gatewayId: null }),
});

interface Lived {
  readonly calls: readonly string[];
  readonly failed: readonly string[];
  readonly answer: string;
}

/** Says it, approves all that is asked, and tells what came of it. */
async function heard(platform: FakePlatform, text: string): Promise<Lived> {
  const before = platform.log.length;
  platform.say(text);
  for (let asked = 0; asked < 10; asked++) {
    await platform.settle();
    if (platform.state.run?.phase.at !== "waiting_approval") break;
    platform.decide("approve");
  }
  const log = platform.log.slice(before);
  const calls = log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.tool] : []));
  const failed = log.flatMap((entry) =>
    entry.kind === "call_settled" && entry.body.status !== "ok" ? [JSON.stringify(entry.body)] : [],
  );
  const said = log.findLast((entry) => entry.kind === "answer");
  return { calls, failed, answer: said?.kind === "answer" ? said.body.text : "" };
}

/** An image that came with a message. */
async function send(platform: FakePlatform, db: FakeD1): Promise<void> {
  db.exec(`INSERT INTO images(id,env_id,sha256,filename,media_type,ext,byte_size,width,height,origin,created_at,updated_at)
    SELECT 'im_sent',env_id,'${SHA}','huts.jpg','image/jpeg','jpg',2000,800,600,'chat',created_at,updated_at
    FROM images WHERE id='im_ridge'`);
  const image = { id: "im_sent", name: "huts.jpg", width: 800, height: 600 };
  const url = `/media/${SHA}/huts.jpg`;
  platform.say("", { parts: [{ type: "file", mediaType: "image/jpeg", url, image }] });
  await platform.settle();
}
const SHA = "ab".repeat(32);

/** What was done before the words are said. */
async function prepare(platform: FakePlatform, db: FakeD1, phrase: Phrase): Promise<void> {
  if (phrase.set === true) await heard(platform, "collect my changes");
  await heard(platform, "change the title of the hero on the home page to 'Up we go'");
  await heard(platform, "change the title of the hero on the about page to 'We walk'");
  await heard(platform, 'rename the contact page to "Write to us"');
  if (phrase.undone === true) await heard(platform, "undo that");
  if (phrase.memory === PACKING) await heard(platform, "put the post Packing light into the category News");
  if (phrase.memory === ABOUT) await heard(platform, "what is on the about page?");
  if (phrase.memory === PHOTO) await send(platform, db);
}

test.each(PHRASES)("“$says”", async (phrase) => {
  const db = new FakeD1();
  const platform = siteSession(db, MODEL);
  await seedSample(db, platform.now - 30 * DAY_MS);
  await prepare(platform, db, phrase);
  const { calls, failed, answer } = await heard(platform, phrase.says);
  expect([calls, failed, answer]).toEqual([phrase.calls.map((one) => one.split(" ")[0]), [], answer]);
  expect(answer).toContain(SIGNATURE);
  db.close();
  platform.disk.close();
});
