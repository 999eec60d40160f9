import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { notifyDefaults } from "../../../../src/channels.ts";
import { ChannelFault, type Channel, type Outgoing } from "../../../../src/plugins/channels/channel.ts";
import { findButton } from "../../../../src/plugins/channels/people/buttons.ts";
import { createCode, redeemCode, removeLink } from "../../../../src/plugins/channels/people/links.ts";
import { moveChat } from "../../../../src/plugins/channels/people/moves.ts";
import {
  blockChat,
  findChat,
  noteMessage,
  openChatSession,
} from "../../../../src/plugins/channels/people/chats.ts";
import { DELIVERY_TIMEOUT_MS } from "../../../../src/cairn/core/limits.ts";
import { createRedactor } from "../../../../src/cairn/core/text/redact.ts";
import { ChannelSender, type ChannelSenderDeps } from "../../../../src/plugins/channels/session/sender.ts";
import type { People } from "../../../../src/cairn/config/rights.ts";
import type { Grant } from "../../../../src/cairn/config/tokens.ts";
import { openChannels } from "../../../fixtures/vendors.ts";
import { FakePlatform, type Line } from "../../../sim/platform/platform.ts";
import { FakeD1 } from "../../../sim/site/d1.ts";
import { openChat } from "../../../worker/channels/chat.ts";

/** A message or a card goes to those who may read it now, and to no place that has shut us out. */

let d1: FakeD1;
beforeEach(() => {
  d1 = new FakeD1();
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  d1.close();
  vi.restoreAllMocks();
});

const NOW = 1_700_000_000_000;
const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const PRIVATE = { channel: "telegram", place: "4711" } as const;
const GROUP = { channel: "telegram", place: "-100" } as const;
const grant = (more: Partial<Grant> = {}): Grant => ({
  name: "ada",
  digest: "",
  subject: "ada",
  scopes: ADA.scopes,
  expiresAt: null,
  ...more,
});
const people = (...tokens: Grant[]): People => ({ tokens, anonymous: false });

async function link(place: string, grantName: string | null = "ada"): Promise<void> {
  const { code } = await createCode(d1.binding, { ...ADA, grant: grantName }, NOW);
  const user = { id: "4711", name: "Ada" };
  const linked = await redeemCode(d1.binding, code, { channel: "telegram", user, place }, NOW);
  expect(linked.ok).toBe(true);
}
const place = (address: { readonly channel: "telegram"; readonly place: string }, isGroup: boolean) =>
  openChatSession(d1.binding, address, { session: "ses", sessionAt: null, subject: "ada", isGroup, at: NOW });

function open(
  more: Partial<ChannelSenderDeps> = {},
  channel: Partial<Channel> = {},
  platform = new FakePlatform([]),
) {
  const { channels, sent } = openChat();
  const chat = channels.find("telegram");
  if (chat === null) throw new Error("there is a chat");
  const { outbox } = platform;
  const sender = new ChannelSender({
    session: "ses",
    createdAt: () => 1,
    channels: { ...channels, find: (name) => (name === "telegram" ? { ...chat, ...channel } : null) },
    db: d1.binding,
    notifyDefaults,
    state: () => platform.engine.log.cachedState(),
    transaction: (body) => platform.engine.rearm(body),
    cards: platform.cards,
    // These deliveries have no rows, so no other attempt can have taken them.
    outbox: {
      begin: () => true,
      approval: (...given) => outbox.approval(...given),
      budgetQuestion: (...given) => outbox.budgetQuestion(...given),
      question: (...given) => outbox.question(...given),
      linkTo: (...given) => outbox.linkTo(...given),
      shownAt: () => outbox.shownAt(),
    },
    clock: () => NOW,
    redact: createRedactor([]),
    ...more,
  });
  const tell = (body: object) => sender.tell({ id: "d", target: "t", body: JSON.stringify(body), tries: 1 });
  const say = (address: object) => tell({ type: "message", kind: "final", text: "It is done.", address });
  return { sender, sent, tell, say };
}

describe("a message to a chat of two", () => {
  test("is sent while its person is linked and may log in, and not after that", async () => {
    await link(PRIVATE.place);
    await place(PRIVATE, false);
    const may = open({ people: people(grant()) });
    expect(await may.say(PRIVATE)).toMatchObject({ status: 200 });
    expect(may.sent).toHaveLength(1);
    const gone = people(grant({ name: "bob", subject: "bob" }));
    const ended = people(grant({ expiresAt: NOW }));
    for (const now of [gone, ended]) {
      const { say, sent } = open({ people: now });
      expect(await say(PRIVATE)).toMatchObject({ status: 403 });
      expect(sent).toEqual([]);
    }
    await removeLink(d1.binding, { subject: null, channel: "telegram", userId: "4711" });
    const { say, sent } = open({ people: people(grant()) });
    expect(await say(PRIVATE)).toMatchObject({ status: 403 });
    expect(sent).toEqual([]);
  });

  test("is sent where nobody's rights end; so is one to a group, and to a place from the address book", async () => {
    await place(PRIVATE, false);
    await place(GROUP, true);
    const free = open();
    expect(await free.say(PRIVATE)).toMatchObject({ status: 200 });
    const strict = open({ people: people() });
    expect(await strict.say(GROUP)).toMatchObject({ status: 200 });
    expect(await strict.say({ channel: "telegram", place: "77" })).toMatchObject({ status: 200 });
    expect([free.sent.length, strict.sent.length]).toEqual([1, 2]);
  });
});

describe("while D1 cannot be read, a message waits and nothing is sent", () => {
  /** D1, in which one table cannot be read. */
  function without(table: string): D1Database {
    const db = d1.binding;
    vi.spyOn(db, "prepare").mockImplementation((sql) => {
      if (sql.includes(table)) throw new Error("D1 does not answer.");
      return d1.binding.prepare(sql);
    });
    return db;
  }

  test.each(["channel_places", "channel_links"])("(%s)", async (table) => {
    await link(PRIVATE.place);
    await place(PRIVATE, false);
    const { say, sent } = open({ people: people(grant()), db: without(table) });
    expect(await say(PRIVATE)).toEqual({ status: 503, retryAfterMs: null });
    expect(sent).toEqual([]);
  });
});

test("what is for a group that has become a supergroup goes to the supergroup", async () => {
  await place(GROUP, true);
  await moveChat(d1.binding, { channel: "telegram", from: GROUP.place, to: "-1000", at: NOW });
  const { say, sent } = open({ people: people(grant()) });
  expect(await say(GROUP)).toMatchObject({ status: 200 });
  expect(sent.map(({ to }) => to)).toEqual(["telegram:-1000"]);
});

describe("a place that has shut us out", () => {
  test("is not asked again", async () => {
    await place(GROUP, true);
    await blockChat(d1.binding, GROUP, NOW);
    const { say, sent } = open();
    expect(await say(GROUP)).toMatchObject({ status: 403 });
    expect(sent).toEqual([]);
  });

  test("under the id that it has now, and not under the one that it had", async () => {
    const supergroup = { ...GROUP, place: "-1000" } as const;
    await place(GROUP, true);
    const moved = { channel: "telegram", from: GROUP.place, to: supergroup.place, at: NOW } as const;
    const send = vi.fn<Channel["send"]>(async () => {
      await moveChat(d1.binding, moved);
      throw new ChannelFault("blocked", "Kicked.");
    });
    const { say } = open({}, { send });
    expect(await say(GROUP)).toMatchObject({ status: 403 });
    expect(await findChat(d1.binding, GROUP)).toBeNull();
    expect(await findChat(d1.binding, supergroup)).toMatchObject({ blocked: true });
    await say(GROUP);
    expect(send).toHaveBeenCalledTimes(1);
  });

  test("is known for one from its refusal on", async () => {
    await place(GROUP, true);
    const send = vi.fn<Channel["send"]>(() => Promise.reject(new ChannelFault("blocked", "Kicked.")));
    const { say } = open({}, { send });
    expect(await say(GROUP)).toMatchObject({ status: 403 });
    expect(await findChat(d1.binding, GROUP)).toMatchObject({ blocked: true });
    await say(GROUP);
    expect(send).toHaveBeenCalledTimes(1);
  });
});

test.each([
  ["unknown", 1, { lost: true }],
  ["unavailable", 1, {}],
] as const)(
  "a message of which nobody knows whether it arrived is lost, and no other (%s)",
  async (code, sentParts, lost) => {
    const fault = new ChannelFault(code, "It broke.", null, sentParts);
    const { tell } = open({}, { send: () => Promise.reject(fault) });
    const note = { type: "message", kind: "final", text: "It is done.", address: GROUP, skip: 3 };
    const answered = await tell(note);
    expect({ lost: answered.lost }).toEqual({ lost: undefined, ...lost });
    // Parts that have arrived stay so, however few of them this try has sent.
    expect(JSON.parse(answered.rest ?? "{}")).toEqual(note);
  },
);

test.each([
  ["blocked", { status: 403 }],
  ["auth", { status: 401 }],
  ["refused", { status: 400 }],
  ["malformed", { status: 400 }],
  ["too_large", { status: 413 }],
  ["rate_limited", { status: 429 }],
  ["unavailable", { status: 503 }],
  ["unknown", { status: null, lost: true }],
  ["bad_signature", { status: null }],
] as const)(
  "a message that is %s is judged by it, and waits as long as the channel asks",
  async (code, judged) => {
    const asks = (retryAfterMs: number | null) =>
      open({}, { send: () => Promise.reject(new ChannelFault(code, "It broke.", retryAfterMs)) }).say(GROUP);
    expect(await asks(90_000)).toEqual({ ...judged, retryAfterMs: 90_000 });
    expect(await asks(null)).toEqual({ ...judged, retryAfterMs: null });
  },
);

test("a message answers the last words from its place, unless it names what it answers", async () => {
  const { say, sender, sent } = open();
  const message = { kind: "final", text: "It is done." } as const;
  await say(GROUP);
  await place(GROUP, true);
  await say(GROUP);
  await noteMessage(d1.binding, GROUP, "m7");
  await say(GROUP);
  await sender.send({ ...message, answers: "m3" }, GROUP, { key: "k" });
  await say(PRIVATE);
  expect(sent.map((one) => one.message)).toEqual([
    message,
    message,
    { ...message, answers: "m7" },
    { ...message, answers: "m3" },
    message,
  ]);
});

describe("an approval card", () => {
  async function waiting(
    approvals: FakePlatform["approvals"] = {},
  ): Promise<{ platform: FakePlatform; approval: string }> {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "It is public." }]);
    platform.approvals = approvals;
    platform.links = { secrets: ["a-secret-for-links-0123456789abcdef"], origin: "https://cairn.example" };
    platform.restart();
    platform.service.admitOrCreate(ADA);
    platform.say("Publish it");
    await platform.settle();
    const phase = platform.state.run?.phase;
    if (phase?.at !== "waiting_approval") throw new Error("nothing waits");
    return { platform, approval: phase.approval.approval };
  }
  const urls = (messages: readonly { readonly message: Outgoing }[]): (string | undefined)[] =>
    messages.flatMap(({ message }) =>
      (message.buttons ?? []).flatMap(({ url }) => (url === undefined ? [] : [url])),
    );
  const labels = (messages: readonly { readonly message: Outgoing }[]): string[] =>
    messages.flatMap(({ message }) => (message.buttons ?? []).map(({ label }) => label));

  test.each([
    [undefined, ["ada"]],
    [false, []],
  ] as const)(
    "has a link for each person who may decide it, its requester included: %s",
    async (may, subjects) => {
      const rules = may === undefined ? {} : { requesterMayApprove: may };
      const { platform, approval } = await waiting({ publish: rules });
      const view = platform.outbox.approval(approval, platform.state);
      if (view === null) throw new Error("the approval is there");
      const linked = ["ada", "bob"].filter((subject) => platform.outbox.linkTo(view, subject) !== null);
      expect(linked).toEqual(subjects);
    },
  );

  test("goes to nobody who may no longer log in, and is not shown once it is decided", async () => {
    const { platform, approval } = await waiting();
    await link(PRIVATE.place);
    const card = { type: "card", approval, subject: "ada" };
    const gone = open({ people: people(grant({ expiresAt: NOW })) }, {}, platform);
    expect(await gone.tell(card)).toMatchObject({ status: 200 });
    expect(gone.sent).toEqual([]);
    const may = open({ people: people(grant()) }, {}, platform);
    await may.tell(card);
    expect(labels(may.sent)).toEqual(["Approve", "Deny"]);
    platform.decide("approve");
    const late = open({}, {}, platform);
    await late.tell(card);
    expect(late.sent).toEqual([]);
  });

  test("has a button for each decision, by the one to whom it is shown, about exactly what is shown there", async () => {
    const { platform, approval } = await waiting();
    await link(GROUP.place);
    const { tell, sent } = open({}, {}, platform);
    await tell({ type: "card", approval, subject: "ada" });
    const view = platform.outbox.approval(approval, platform.state);
    const tokens = (sent[0]?.message.buttons ?? []).map(({ token = "" }) => token);
    const buttons = await Promise.all(tokens.map((token) => findButton(d1.binding, token, NOW)));
    const button = {
      session: "ses",
      sessionAt: 1,
      approval,
      shown: view?.digest,
      address: GROUP,
      userId: "4711",
      expiresAt: Date.parse(view?.expiresAt ?? ""),
    };
    expect(buttons).toEqual([
      { ...button, decision: "approve" },
      { ...button, decision: "deny" },
    ]);
  });

  test("that cannot show everything has no button that approves, and its link decides for its person alone", async () => {
    const { platform, approval } = await waiting();
    const card = { type: "card", approval, subject: "ada" };
    await link(PRIVATE.place);
    const own = open({}, { fits: () => false }, platform);
    await own.tell(card);
    expect(labels(own.sent)).toEqual(["Look and decide", "Deny"]);
    const issued = await d1.binding.prepare("SELECT decision FROM channel_buttons").all();
    expect(issued.results).toEqual([{ decision: "deny" }]);
    expect(urls(own.sent)).toEqual([expect.stringMatching(/^https:\/\/cairn\.example\/a\//)]);
    await link(GROUP.place);
    const shared = open({}, { fits: () => false }, platform);
    await shared.tell(card);
    expect(shared.sent.map(({ to }) => to)).toEqual(["telegram:-100"]);
    expect(urls(shared.sent)).toEqual([expect.stringMatching(/^https:\/\/cairn\.example\/#\//)]);
  });

  test.each([
    ["D024", /^https:\/\/cairn\.example\/a\//],
    ["C024", /^https:\/\/cairn\.example\/#\//],
    ["G024", /^https:\/\/cairn\.example\/#\//],
  ])(
    "on Slack that cannot show everything has its deciding link in a direct message alone: %s",
    async (at, where) => {
      const { platform, approval } = await waiting();
      const { code } = await createCode(d1.binding, { ...ADA, grant: "ada" }, NOW);
      const user = { id: "U1", name: "Ada" };
      await redeemCode(d1.binding, code, { channel: "slack", user, place: at }, NOW);
      const { channels, sent } = openChat();
      const chat = channels.find("telegram");
      if (chat === null) throw new Error("there is a chat");
      const slack = openChannels({ SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "s" }).find("slack");
      if (slack === null) throw new Error("Slack is set up");
      const find: ChannelSenderDeps["channels"]["find"] = (name) =>
        name === "slack" ? { ...slack, send: chat.send, fits: () => false } : null;
      const { tell } = open({ channels: { ...channels, find } }, {}, platform);
      await tell({ type: "card", approval, subject: "ada" });
      expect(sent.map(({ to }) => to)).toEqual([`slack:${at}`]);
      expect(urls(sent)).toEqual([expect.stringMatching(where)]);
    },
  );

  const UPDATE: Channel["update"] = () => Promise.resolve();
  test.each([
    ["a card with buttons, which cannot be changed", {}, true],
    ["a card with buttons", { update: UPDATE }, true],
    ["a link that shows what became of it by itself", { decidesByLink: true }, false],
    ["a link in a message that can be changed", { decidesByLink: true, update: UPDATE }, true],
  ] as const)("is remembered as shown so that its end can be: %s", async (_, channel, isKept) => {
    const { platform, approval } = await waiting();
    await link(PRIVATE.place);
    const { tell } = open({}, channel, platform);
    expect(await tell({ type: "card", approval, subject: "ada" })).toEqual({
      status: 200,
      retryAfterMs: null,
    });
    const card = { address: PRIVATE, receipt: { id: "1", parts: 1 } };
    expect(platform.cards.of(approval)).toEqual(isKept ? [card] : []);
  });

  test("shows its end where it was shown; what cannot be shown now is tried again, what never can is dropped", async () => {
    const { platform, approval } = await waiting();
    await link(PRIVATE.place);
    const ended: Outgoing[] = [];
    const faults = [new ChannelFault("unavailable", "Down.")];
    const update: Channel["update"] = async (_receipt, message) => {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
      ended.push(message);
    };
    const { tell } = open({}, { update }, platform);
    await tell({ type: "card", approval, subject: "ada" });
    platform.decide("approve");
    const end = { type: "card_end", approval };
    expect(await tell(end)).toMatchObject({ status: 503 });
    expect(platform.cards.of(approval)).toHaveLength(1);
    expect(await tell(end)).toMatchObject({ status: 200 });
    expect(ended.map(({ text }) => text)).toEqual([expect.stringContaining("Approved by ada")]);
    expect(platform.cards.of(approval)).toEqual([]);

    platform.cards.keep(approval, { address: PRIVATE, receipt: { id: "1", parts: 1 } });
    faults.push(new ChannelFault("refused", "Too old."));
    expect(await tell(end)).toMatchObject({ status: 200 });
    expect(platform.cards.of(approval)).toEqual([]);
  });
});

describe("that an answer is being written", () => {
  async function atWork(script: readonly Line[]) {
    const platform = new FakePlatform(script);
    platform.service.admitOrCreate(ADA);
    let at = NOW;
    const typing = vi.fn<NonNullable<Channel["typing"]>>(async () => {});
    const { sender } = open({ clock: () => at }, { typing }, platform);
    const show = async (afterMs: number): Promise<number> => {
      at += afterMs;
      sender.typing();
      // All of it is done in this turn: this D1 needs no time.
      await new Promise((resolve) => setImmediate(resolve));
      return typing.mock.calls.length;
    };
    return { platform, typing, show };
  }

  test("is shown where the run came from, and again once the channel shows it no more", async () => {
    const { platform, typing, show } = await atWork([{ text: "It is there." }]);
    const shown: number[] = [];
    platform.onModel = async () => {
      for (const afterMs of [0, 4_499, 1]) shown.push(await show(afterMs));
    };
    expect(await show(0)).toBe(0);
    platform.say("Is it there?", { origin: PRIVATE });
    await platform.settle();
    expect(shown).toEqual([1, 1, 2]);
    expect(typing.mock.calls.map(([address]) => address)).toEqual([PRIVATE, PRIVATE]);
  });

  test("is not shown while a person is asked", async () => {
    const { platform, show } = await atWork([{ calls: [["publish", { name: "a" }]] }]);
    platform.say("Publish it", { origin: PRIVATE });
    await platform.settle();
    expect(platform.state.run?.phase.at).toBe("waiting_approval");
    expect(await show(0)).toBe(0);
  });

  test("is not shown to a place that has shut us out", async () => {
    await place(PRIVATE, false);
    await blockChat(d1.binding, PRIVATE, NOW);
    const { platform, show } = await atWork([{ text: "It is there." }]);
    const shown: number[] = [];
    platform.onModel = async () => void shown.push(await show(0));
    platform.say("Is it there?", { origin: PRIVATE });
    await platform.settle();
    expect(shown).toEqual([0]);
  });
});

describe("a channel that does not answer", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
  const silent: Channel["send"] = (_message, _address, _key, signal) =>
    new Promise((_resolve, reject) => {
      const giveUp = (): void => reject(new ChannelFault("unknown", "It was given up."));
      if (signal?.aborted === true) giveUp();
      signal?.addEventListener("abort", giveUp);
    });
  const MESSAGE = { kind: "final", text: "It is done." } as const;

  test("is given up after ten seconds, also where its caller would wait for longer", async () => {
    const { sender } = open({}, { send: silent });
    for (const signal of [undefined, new AbortController().signal]) {
      let fault: unknown = null;
      const sending = sender
        .send(MESSAGE, GROUP, { key: "k", ...(signal === undefined ? {} : { signal }) })
        .catch((error: unknown) => void (fault = error));
      await vi.advanceTimersByTimeAsync(DELIVERY_TIMEOUT_MS - 1);
      expect(fault).toBeNull();
      await vi.advanceTimersByTimeAsync(1);
      await sending;
      expect(fault).toMatchObject({ code: "unknown" });
    }
  });

  test("is given up with its caller; no timer is left, which would keep an idle session awake", async () => {
    const { sender } = open({}, { send: silent });
    const caller = new AbortController();
    // Timers of modules that other files of this thread have loaded are not the sender's.
    const others = vi.getTimerCount();
    const sending = sender
      .send(MESSAGE, GROUP, { key: "k", signal: caller.signal })
      .then(null, (error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount() - others).toBe(1);
    caller.abort();
    expect(await sending).toMatchObject({ code: "unknown" });
    expect(vi.getTimerCount() - others).toBe(0);
  });
});
