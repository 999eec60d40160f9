import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { secretForms } from "../../../src/cairn/core/text/secret-forms.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { ACTOR, Client } from "../platform/client.ts";
import { ServerSocket } from "../platform/socket.ts";
import { FakePlatform } from "../platform/platform.ts";

/** A secret with every sign that some encoding writes otherwise. */
const SECRET = `c4nary+/9f4a<b7&é~'"q z`;

/** Everything that left the session or stayed in it, by where it was. */
type Places = Readonly<Record<"disk" | "client" | "frames" | "prompts" | "log" | "trace" | "views", string>>;

/** A session in which `said` stands wherever words can stand: what a person, a model and a tool say, and how they fail. */
async function lived(said: string, known: boolean): Promise<Places> {
  const platform = new FakePlatform([
    {
      thought: `I know ${said}, I think.`,
      text: `It is ${said}, you see.`,
      calls: [
        ["look", { name: said }],
        ["look", { name: "a", [said]: said }],
        ["store_memory", { key: "key", value: `remember ${said}` }],
        ["store_memory", { key: said.slice(0, 64), value: "a key" }],
        ["retrieve_memory", { key: "key" }],
        ["bulk", { name: "x" }],
        ["visit", { name: "x" }],
      ],
    },
    { calls: [["put", { name: "a" }]] },
    { calls: [["look", { name: "b" }]] },
    { fail: { class: "rate_limit", message: `quota of ${said}`, retryAfterMs: 2_000, usage: null } },
    {
      fail: { class: "overloaded", message: "gone", retryAfterMs: null, usage: null },
      text: `Half of ${said} an`,
    },
    { calls: [["publish", { name: said }]] },
    { calls: [["publish", { name: `again ${said}` }]] },
    { text: `The answer is ${said}; the change failed.` },
    { text: `To be stopped: ${said}.`, calls: [["publish", { name: "c" }]] },
  ]);
  platform.words = `You are Cairn, and keep ${said}.`;
  platform.hooks = {
    name: "sentinel",
    version: 1,
    prepareStep: () => ({ instructions: `A hook adds ${said}.` }),
    onStepFinish: () => ({ hints: [`A hook hints at ${said}.`] }),
  };
  // Broken up by signs that nobody sees, so that it is whole again when they are taken away.
  const broken = `${said} or ${Array.from(said).join("\u200b")} `;
  platform.effects.outside = broken.repeat(Math.ceil(10_000 / broken.length));
  platform.protect(known ? [{ name: "SENTINEL", value: SECRET }] : []);

  const frames: string[] = [];
  const raw = new ServerSocket(
    "raw",
    (text) => void frames.push(text),
    () => {},
  );
  const disks: string[] = [];
  const look = (): void => void disks.push(platform.disk.dump());
  let pieces = 0;
  // The draft of a call in flight is saved by the second: time moves, and the disk is looked at, between its pieces.
  platform.onPiece = () => {
    platform.now += 700;
    if (pieces++ % 24 === 0) look();
  };
  platform.effects.bulk = JSON.stringify({
    long: `${said} `.repeat(Math.ceil(10_000 / said.length)),
    inside: said,
  });
  platform.effects.failures.set("put", [
    new ToolError("conflict", "taken", `taken by ${said}`, {
      hint: `not ${said}`,
      at: said,
      suggestions: [said],
      details: { said },
    }),
  ]);
  platform.effects.onTool = (tool) => {
    if (tool === "look" && platform.requests.length === 3)
      throw new Error(`inside ${said}`, { cause: new Error(said) });
  };

  const client = new Client(platform);
  const message = {
    parts: [{ type: "text", text: `${said} is my key` }],
    mode: null,
    source: "web",
    request: null,
    ask: {},
  } as const;
  expect(await platform.api.send(ACTOR, { id: "m1", ...message })).toMatchObject({ ok: true });
  await client.follow();
  await platform.hub.connect(raw, JSON.stringify(ACTOR));
  platform.sockets.add(raw);
  await platform.hub.receive(raw, JSON.stringify({ type: "cairn:subscribe", eventId: "s", after: 0 }));

  const views: string[] = [];
  for (const decision of ["approve", "deny"] as const) {
    await platform.settle();
    look();
    const phase = platform.state.run?.phase;
    const approval = phase?.at === "waiting_approval" ? phase.approval.approval : "none";
    const body = { type: "cairn:approve", eventId: decision, approvalId: approval };
    await platform.hub.receive(raw, JSON.stringify({ ...body, decision: "maybe", reason: said }));
    views.push(JSON.stringify(await platform.api.approval(ACTOR, approval)));
    const decided = { approval, decision, args: null, reason: `because ${said}`, digest: null };
    expect(await platform.api.decide(ACTOR, decided)).toMatchObject({ ok: true });
  }
  await platform.settle();
  expect(platform.state.run).toBeNull();
  await platform.api.send(ACTOR, { id: "m2", ...message });
  await platform.settle();
  expect(platform.state.run?.phase.at).toBe("waiting_approval");
  await platform.api.cancel(ACTOR, { id: "c", runId: null, all: true, reason: `stop ${said}` });
  await platform.settle();
  await platform.api.send(ACTOR, { id: "m3", ...message, source: "webhook" });
  await platform.settle();
  await client.catchUp();
  look();

  const trace: string[] = [];
  for (const run of ["r1", "r2", "r3"]) {
    for (const format of ["json", "jsonl"] as const)
      trace.push(JSON.stringify(await platform.api.readTrace(ACTOR, run, format)));
  }
  views.push(
    JSON.stringify(await platform.api.view(ACTOR)),
    JSON.stringify(await platform.api.messages(ACTOR, 100, null)),
    JSON.stringify(await platform.api.memory(ACTOR)),
    JSON.stringify(await platform.api.events(ACTOR, 0, 10_000)),
  );
  expect(platform.folded).toEqual(platform.state);
  return {
    disk: disks.join("\n"),
    client: JSON.stringify([client.events, [...client.chunks]]),
    frames: frames.join("\n"),
    prompts: JSON.stringify(platform.requests),
    log: JSON.stringify(vi.mocked(console.error).mock.calls.map((args) => args.map(String))),
    trace: trace.join("\n"),
    views: views.join("\n"),
  };
}

/** JSON in JSON in JSON doubles its backslashes: without any, each depth reads the same. */
const bare = (text: string): string => text.replaceAll("\\", "");

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const FORMS = secretForms(SECRET);
const SPELLINGS: readonly (readonly [name: string, said: string])[] = [
  // A tool's output is written as JSON, so a spelling counts where the next depth of it is known too.
  ...FORMS.filter((form) => FORMS.includes(JSON.stringify(form).slice(1, -1))).map(
    (form, at) => [`spelling ${at}`, form] as const,
  ),
  ["inside a longer text in base64", btoa(`{"k":"${unescape(encodeURIComponent(SECRET))}"}`)],
];

describe("a secret that is known", () => {
  test("has many spellings", () => {
    expect(SPELLINGS.length).toBeGreaterThan(24);
  });

  test.each(SPELLINGS)("is nowhere, whoever says it and wherever: %s", async (_, said) => {
    const places = await lived(said, true);
    for (const [place, text] of Object.entries(places)) {
      const read = bare(text);
      const found = FORMS.filter((form) => read.includes(bare(form)));
      expect(found, place).toEqual([]);
      expect(text, place).toContain("[secret:SENTINEL]");
    }
  });

  test("is where it was not known, in each of these places: they would show it", async () => {
    const places = await lived(SECRET, false);
    for (const [place, text] of Object.entries(places))
      expect(bare(text).includes(bare(SECRET)), place).toBe(true);
  });
});
