import { expect, test } from "vitest";
import type { BodyOf } from "../../../src/cairn/core/log/entry.ts";
import { traceRun } from "../../../src/cairn/core/trace.ts";
import { prompts } from "../../fixtures/deployment/plugins.ts";
import { cmsPack, imagesPack } from "../../../src/plugins/cms/pack.ts";
import { filesPack } from "../../../src/plugins/files/pack.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

/** Savings of a lean run, measured on the requests of a session with the tools and prompts that ship. */

const EARLIER = 5;
const ANSWER = "The pages are the home page, the tours, the team and the contact page. ".repeat(6).trim();
const FACTS = 8;
/** Maximum tokens of a lean run, as a share of a usual run's, which has a short tool list. */
const LEAN_SHARE = 2 / 3;

/** A session in which some was said and remembered; then this, in so many steps. */
async function asked(words: string | null, steps = 1): Promise<FakePlatform> {
  const platform = new FakePlatform(({ step }) => {
    const [, run = "", no = ""] = /^r(\d+)s(\d+)$/.exec(step) ?? [];
    if (Number(run) > EARLIER)
      return Number(no) < steps
        ? { calls: [["store_memory", { key: `step ${no}`, value: `Page ${no} is a draft.` }]] }
        : { text: ANSWER };
    const keep: Line = {
      calls: [
        [
          "store_memory",
          { key: `fact ${run}`, value: "Our tours begin at nine, at the harbour. ".repeat(2) },
        ],
      ],
    };
    return no === "1" ? keep : { text: ANSWER };
  });
  platform.bare = true;
  platform.instructions = (modules?: readonly string[]) => prompts.instructions(modules ?? []);
  platform.own = (tools) =>
    tools
      .add(cmsPack, { DB: {} as never })
      .add(imagesPack, { DB: {} as never, MEDIA: {} as never })
      .add(filesPack, { MEDIA: {} as never });
  platform.restart();
  for (let no = 1; no <= EARLIER; no++) {
    platform.say(`Which pages are there now, and which of them are drafts? (${no})`);
    await platform.settle();
  }
  for (let no = 0; no < FACTS; no++) platform.service.remember(ADA, `wish ${no}`, "Warm words.");
  if (words === null) await look(platform);
  else platform.say(words);
  await platform.settle();
  return platform;
}

/** Lets the time come at which the heartbeat looks, because nobody has written. */
async function look(platform: FakePlatform): Promise<void> {
  platform.service.admitOrCreate(ADA);
  await platform.api.setHeartbeat(ADA, { enabled: true });
  for (let alarms = 0; alarms < 200 && !platform.log.some(({ run }) => run === RUN); alarms++) {
    platform.now = Math.max(platform.now, platform.disk.alarm ?? platform.now);
    await platform.fire();
  }
}

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const RUN = `r${EARLIER + 1}`;
const stepOf = (platform: FakePlatform): BodyOf<"step_started"> => {
  const step = platform.log.find((entry) => entry.kind === "step_started" && entry.run === RUN);
  if (step?.kind !== "step_started") throw new Error("the run has a step");
  return step.body;
};
const requestOf = (platform: FakePlatform) => {
  const request = platform.requests.find(({ step }) => step === `${RUN}s1`);
  if (request === undefined) throw new Error("the model was asked");
  return request;
};

test.each(["/lean", "/FAST", "[Lean]", "[FAST]"])(
  "%s takes a third off the request at least, and is taken off",
  async (mode) => {
    const words = "Which pages are drafts?";
    const [whole, lean] = [await asked(words), await asked(`${mode} ${words}`)];
    const [all, few] = [stepOf(whole).promptTokens, stepOf(lean).promptTokens];
    expect(few / all).toBeLessThanOrEqual(LEAN_SHARE);
    const text = JSON.stringify(requestOf(lean).messages);
    expect([text.includes(mode), text.includes(words)]).toEqual([false, true]);
  },
);

test("a look of the heartbeat asks with two thirds of what a run of a person does at most", async () => {
  const [whole, beat] = [await asked("Which pages are drafts?"), await asked(null)];
  const begun = beat.log.find((entry) => entry.kind === "run_queued" && entry.run === RUN);
  expect(begun?.body).toMatchObject({ source: "heartbeat", profile: "heartbeat" });
  expect(stepOf(beat).promptTokens / stepOf(whole).promptTokens).toBeLessThanOrEqual(LEAN_SHARE);
  const request = requestOf(beat);
  expect(JSON.stringify(request.messages.at(-1)).match(/wish \d/g)).toHaveLength(5);
  const tools = request.tools.map(({ name }) => name);
  expect(tools).toEqual(expect.arrayContaining(["page_get", "find", "set_status"]));
  expect(tools).not.toContain("page_create");
  for (const left of ["<plan>", "<posts>", "<history>"]) expect(request.instructions).not.toContain(left);
});

test("a lean run of several steps sends two thirds of the tokens at most, by its trace", async () => {
  const STEPS = 4;
  const sent = async (words: string): Promise<number> => {
    const { log } = await asked(words, STEPS);
    const own = log.filter(({ run }) => run === RUN);
    const sizes = traceRun("ses", own).map((record) => Number(record["prompt_tokens"]));
    expect(sizes).toHaveLength(STEPS);
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  const [whole, lean] = [await sent("Which pages are drafts?"), await sent("/lean Which pages are drafts?")];
  expect(lean).toBeGreaterThan(0);
  expect(lean / whole).toBeLessThanOrEqual(LEAN_SHARE);
});

test("a lean run has the last four messages, five of what is known, few tools and no plan", async () => {
  const lean = requestOf(await asked("/lean Which pages are drafts?"));
  const said = lean.messages.filter(({ role }) => role === "user" || role === "assistant");
  // Two exchanges before it, its own words, and the situation.
  expect(said.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user", "user"]);
  const situation = JSON.stringify(lean.messages.at(-1));
  expect(situation.match(/wish \d/g)).toHaveLength(5);
  const tools = lean.tools.map(({ name }) => name);
  expect(tools).toEqual(expect.arrayContaining(["ask_human", "page_get", "find", "section_update"]));
  expect(tools).not.toEqual(expect.arrayContaining(["update_plan"]));
  expect(tools).not.toEqual(expect.arrayContaining(["page_create"]));
  expect(lean.instructions).not.toContain("<plan>");
});

test("gates hold in a lean run, also for what it is not offered: publishing is asked about", async () => {
  const platform = new FakePlatform([{ calls: [["publish", { name: "about" }]] }, { text: "It waits." }]);
  platform.service.admitOrCreate(ADA);
  platform.say("/lean publish the about page");
  await platform.settle();
  expect(platform.state.run).toMatchObject({ profile: "lean", phase: { at: "waiting_approval" } });
  expect(platform.log.some((entry) => entry.kind === "call_intended")).toBe(false);
});
