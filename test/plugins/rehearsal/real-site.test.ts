import { expect, test } from "vitest";
import { createModel } from "../../../src/cairn/models/step.ts";
import { createRehearsalModel } from "../../../src/plugins/rehearsal/model.ts";
import { FakeD1 } from "../../sim/site/d1.ts";
import { seedSample, siteSession } from "../../sim/site/session.ts";
import type { FakePlatform } from "../../sim/platform/platform.ts";
import { REHEARSAL_SIGNATURE as SIGNATURE } from "../../../src/plugins/rehearsal/answer-words.ts";
import { ABOUT, PACKING, PHOTO, PHRASES, SET, type Phrase } from "./phrases.ts";

/** The same words in a whole session with the real tools: the rehearsal model, the loop, approvals, the sample site. */

const DAY_MS = 86_400_000;
const MODEL = createModel({
  providers: () => Promise.resolve(createRehearsalModel()),
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
  if (phrase.calls.some((call) => /^(?:undo|diff|changes)/.test(call))) {
    await heard(platform, "change the title of the hero on the home page to 'Up we go'");
    await heard(platform, "change the title of the hero on the about page to 'We walk'");
  }
  await heard(platform, 'rename the contact page to "Write to us"');
  if (phrase.undone === true) await heard(platform, "undo that");
  if (phrase.memory === PACKING) await heard(platform, "put the post Packing light into the category News");
  if (phrase.memory === ABOUT) await heard(platform, "what is on the about page?");
  if (phrase.memory === PHOTO) await send(platform, db);
  if (phrase.memory === SET) await heard(platform, "show me the set");
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

test("five edits over three pages are collected, read, published once and taken back, and it says where they are", async () => {
  const db = new FakeD1();
  const platform = siteSession(db, MODEL);
  await seedSample(db, platform.now - 30 * DAY_MS);
  const visible = () => db.rows("SELECT owner_id, doc FROM published_docs ORDER BY owner_id");
  const before = visible();
  await heard(platform, "collect my next changes in a set");
  const edits = [
    "change the title of the hero on the home page to 'Up we go'",
    "change the subtitle of the hero on the home page to 'Slowly'",
    "change the title of the hero on the about page to 'We walk'",
    'rename the contact page to "Write to us"',
    "add a gallery to the contact page",
  ];
  for (const edit of edits) {
    const { failed, answer } = await heard(platform, edit);
    expect([failed, answer]).toEqual([[], answer]);
    expect(answer).toContain("In the change set “Changes”: no visitor sees it before the set is published.");
    expect(answer).not.toContain("once the page is published again");
  }
  expect(visible()).toEqual(before);
  expect((await heard(platform, "show me the set")).answer).toContain('The set "Changes" changes 3 things');
  expect((await heard(platform, "publish it")).calls).toEqual(["changes_publish"]);
  const after = JSON.stringify(visible());
  for (const text of ["Up we go", "Slowly", "We walk", "Write to us", "at a glance"])
    expect(after).toContain(text);
  expect((await heard(platform, "undo it")).calls).toEqual(["undo"]);
  expect(visible()).toEqual(before);
});

test("a section of a template that only this site has is made of its fields", async () => {
  const db = new FakeD1();
  const platform = siteSession(db, MODEL);
  await seedSample(db, platform.now - 30 * DAY_MS);
  const fields = [
    { key: "heading", label: "Heading", type: "text", max: 80, required: true },
    { key: "intro", label: "Intro", type: "markdown" },
    {
      ...{ key: "items", label: "Items", type: "list", min: 1, required: true },
      item: [{ key: "question", label: "Question", type: "text", required: true }],
    },
  ];
  db.exec(`INSERT INTO section_templates(key,name,description,region,fields)
    VALUES('faq','Questions and answers','','main','${JSON.stringify(fields)}')`);
  for (const wish of [
    "add a faq section to the contact page",
    "put a questions and answers section on About",
  ]) {
    const { failed, answer } = await heard(platform, wish);
    expect([failed, answer]).toEqual([[], answer]);
  }
  const unknown = await heard(platform, "add a pricing section to the contact page");
  expect(unknown.calls).not.toContain("section_add");
  expect(unknown.answer).toContain('"Questions and answers"');
  const made = db.rows(`SELECT p.slug, c.data FROM sections s JOIN pages p ON p.id=s.page_id
    JOIN contents c ON c.owner_id=s.id WHERE s.template_key='faq' ORDER BY p.slug`);
  const data = JSON.stringify({ heading: "Questions and answers", items: [{ question: "Question" }] });
  expect(made).toEqual([{ slug: "contact", data }]);
  db.close();
  platform.disk.close();
});

test("what is so already is told as that, and nobody is asked", async () => {
  const db = new FakeD1();
  const platform = siteSession(db, MODEL);
  await seedSample(db, platform.now - 30 * DAY_MS);
  const wish = 'set the tagline to "Slowly"';
  expect((await heard(platform, wish)).answer).toContain('The tagline of the site is "Slowly" now.');
  const before = platform.log.length;
  const { calls, failed, answer } = await heard(platform, wish);
  expect([calls, failed]).toEqual([["settings_update"], []]);
  expect(answer).toContain("I did not have to change the tagline of the site: it was like this already.");
  expect(platform.log.slice(before).map((entry) => entry.kind)).not.toContain("approval_requested");
  db.close();
  platform.disk.close();
});

test("what could not be written is not published, and is asked about once", async () => {
  const db = new FakeD1();
  const platform = siteSession(db, MODEL);
  await seedSample(db, platform.now - 30 * DAY_MS);
  const wish = "write a post about the mill and publish it tomorrow at nine";
  expect((await heard(platform, wish)).answer).toMatch(/on Wednesday,? 15 November 2023 at 09:00 UTC/);
  const { answer } = await heard(platform, wish);
  expect(answer).toContain("Which other slug shall it be?");
  expect(answer).not.toContain("Which post do you mean?");
});
