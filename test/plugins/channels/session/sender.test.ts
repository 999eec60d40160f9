import { afterAll, expect, test } from "vitest";
import { findButton } from "../../../../src/plugins/channels/people/buttons.ts";
import { createCode, redeemCode } from "../../../../src/plugins/channels/people/links.ts";
import { notifyDefaults } from "../../../../src/channels.ts";
import type { Outgoing } from "../../../../src/plugins/channels/channel.ts";
import { createRedactor } from "../../../../src/cairn/core/text/redact.ts";
import { pushPayload } from "../../../../src/plugins/channels/webpush/payload.ts";
import type { SessionOutbox } from "../../../../src/cairn/session/background/outbox.ts";
import { ChannelSender, type ChannelSenderDeps } from "../../../../src/plugins/channels/session/sender.ts";
import { createEmail } from "../../../../src/plugins/channels/email/email.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";
import { FakeD1 } from "../../../sim/site/d1.ts";
import { openChat } from "../../../worker/channels/chat.ts";

const d1 = new FakeD1();
afterAll(() => d1.close());
const redact = createRedactor([]);

/** These deliveries have no rows, so no other attempt can have taken them. */
const withoutRows = (outbox: SessionOutbox): ChannelSenderDeps["outbox"] => ({
  begin: () => true,
  approval: (...of) => outbox.approval(...of),
  budgetQuestion: (...of) => outbox.budgetQuestion(...of),
  question: (...of) => outbox.question(...of),
  linkTo: (...of) => outbox.linkTo(...of),
  shownAt: () => outbox.shownAt(),
});
const within = (platform: FakePlatform): Pick<ChannelSenderDeps, "state" | "transaction" | "cards"> => ({
  state: () => platform.engine.log.cachedState(),
  transaction: (body) => platform.engine.rearm(body),
  cards: platform.cards,
});
const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;

test("a card that is decided before its channel has taken it is shown as decided all the same", async () => {
  const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "It is public." }]);
  platform.service.admitOrCreate(ADA);
  platform.say("Publish it");
  await platform.settle();
  const phase = platform.state.run?.phase;
  if (phase?.at !== "waiting_approval") throw new Error("nothing waits");
  const { approval } = phase.approval;
  const { db, clock } = { db: d1.binding, clock: () => platform.now };
  const { code } = await createCode(db, ADA, clock());
  const user = { id: "4711", name: "Ada" };
  await redeemCode(db, code, { channel: "telegram", user, place: "4711" }, clock());

  const { channels, sent } = openChat();
  const chat = channels.find("telegram");
  if (chat === null) throw new Error("there is a chat");
  const shown: Outgoing[] = [];
  let meanwhile = async (): Promise<void> => {};
  const slow = {
    ...chat,
    send: async (...args: Parameters<typeof chat.send>) => {
      await meanwhile();
      return chat.send(...args);
    },
    update: async (_receipt: unknown, message: Outgoing) => void shown.push(message),
  };
  const createdAt = platform.store.loadMeta()?.createdAt ?? null;
  const sender = new ChannelSender({
    createdAt: () => createdAt,
    session: "ses",
    channels: { ...channels, find: () => slow },
    db,
    clock,
    ...within(platform),
    outbox: withoutRows(platform.outbox),
    notifyDefaults,
    redact,
  });
  const tell = (id: string, target: string, body: object) =>
    sender.tell({ id, target, body: JSON.stringify(body), tries: 1 });

  meanwhile = async () => {
    platform.decide("approve");
    // The card ends while its address is still unknown.
    await tell("end", `card:${approval}`, { type: "card_end", approval });
  };
  await tell("card", "person:ada", { type: "card", approval, subject: "ada" });
  expect(sent).toHaveLength(1);
  expect(shown).toEqual([]);
  // Names of sessions can be used again: each button names the session that asked by its time.
  const tokens = sent[0]?.message.buttons?.map(({ token = "" }) => token) ?? [];
  const buttons = await Promise.all(tokens.map((token) => findButton(db, token, clock())));
  expect(createdAt).not.toBeNull();
  expect(buttons.map((button) => button?.sessionAt)).toEqual([createdAt, createdAt]);

  for (const delivery of platform.outbox.claim(platform.now + 1_000)) await sender.tell(delivery);
  expect(shown.map(({ text }) => text)).toEqual([expect.stringContaining("Approved by ada")]);
  expect(platform.cards.of(approval)).toEqual([]);
});

test("a person who asked and may not approve gets no link to decide it", async () => {
  const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "It is public." }]);
  platform.links = { secrets: ["0123456789abcdef0123456789abcdef"], origin: "https://cairn.example" };
  platform.service.admitOrCreate(ADA);
  platform.restart();
  platform.say("Publish it");
  await platform.settle();
  const phase = platform.state.run?.phase;
  if (phase?.at !== "waiting_approval") throw new Error("nothing waits");
  const view = platform.outbox.approval(phase.approval.approval, platform.state);
  if (view === null) throw new Error("the approval is in the log");
  expect(view.requester).toBe("ada");
  expect(platform.outbox.linkTo(view, "ada")).toMatch(/^https:\/\/cairn\.example\/a\//);
  const others = { ...view, approvers: ["owner", "bob"], requesterMayApprove: false };
  expect(platform.outbox.linkTo(others, "ada")).toBeNull();
  expect(platform.outbox.linkTo(others, "bob")).toMatch(/^https:\/\/cairn\.example\/a\//);
});

test.each([
  ["https://cairn.example", "Look and answer: https://cairn.example/#/s/ses"],
  [null, "Answer it in the conversation on the page: it waits there."],
])(
  "a question about a budget says where it is answered, where nothing can be pressed (%s)",
  async (publicUrl, where) => {
    const platform = new FakePlatform(({ step }) => ({ calls: [["look", { name: `thing of ${step}` }]] }));
    if (publicUrl !== null) platform.links = { secrets: [], origin: publicUrl };
    platform.service.admitOrCreate(ADA);
    platform.restart();
    const told: string[] = [];
    const pushed: (string | null)[] = [];
    const mailer = {
      send: async ({ text }: { readonly text: string }) => {
        told.push(text);
        return { messageId: "<1@cairn.example>" };
      },
    };
    const email = createEmail({ mailer, address: "agent@cairn.example" });
    const { db, clock } = { db: d1.binding, clock: () => platform.now };
    const { code } = await createCode(db, ADA, clock());
    const user = { id: "ada@example.com", name: null };
    await redeemCode(db, code, { channel: "email", user, place: "ada@example.com" }, clock());
    const { channels } = openChat();
    const find = (name: string) =>
      name !== "email"
        ? null
        : {
            ...email,
            send: async (...args: Parameters<typeof email.send>) => {
              pushed.push(pushPayload(args[0], args[0].blocks ?? [], "tag").url);
              return email.send(...args);
            },
          };
    platform.onModel = async ({ step }) => {
      if (step !== "r1s5") return;
      const sender = new ChannelSender({
        createdAt: () => null,
        session: "ses",
        channels: { ...channels, find },
        db,
        clock,
        ...within(platform),
        outbox: withoutRows(platform.outbox),
        notifyDefaults,
        redact,
      });
      const body = JSON.stringify({ type: "budget", question: "r1b1", subject: "ada" });
      await sender.tell({ id: "budget", target: "person:ada", body, tries: 1 });
    };
    platform.say("Look at everything.", { limits: { steps: 8, toolCalls: 5 } });
    await platform.settle(3_600_000);
    expect(told).toEqual([expect.stringContaining(where)]);
    expect(pushed).toEqual([publicUrl === null ? null : `${publicUrl}/#/s/ses`]);
  },
);

test("a question about a budget has buttons that hold as long as a run may wait, while it is open", async () => {
  const platform = new FakePlatform(({ step }) => ({ calls: [["look", { name: `thing of ${step}` }]] }));
  platform.service.admitOrCreate(ADA);
  const { db, clock } = { db: d1.binding, clock: () => platform.now };
  const { code } = await createCode(db, ADA, clock());
  const user = { id: "4711", name: "Ada" };
  await redeemCode(db, code, { channel: "telegram", user, place: "4711" }, clock());
  const { channels, sent } = openChat();
  const sender = new ChannelSender({
    session: "ses",
    createdAt: () => 7,
    channels,
    db,
    clock,
    ...within(platform),
    outbox: withoutRows(platform.outbox),
    notifyDefaults,
    redact,
  });
  const ask = (): ReturnType<ChannelSender["tell"]> => {
    const body = JSON.stringify({ type: "budget", question: "r1b1", subject: "ada" });
    return sender.tell({ id: "budget", target: "person:ada", body, tries: 1 });
  };
  let askedAt = 0;
  platform.onModel = async ({ step }) => {
    if (step !== "r1s5") return;
    askedAt = platform.now;
    await ask();
  };
  platform.say("Look at everything.", { limits: { steps: 8, toolCalls: 5 } });
  await platform.settle(3_600_000);
  const tokens = sent[0]?.message.buttons?.map(({ token = "" }) => token) ?? [];
  const buttons = await Promise.all(tokens.map((token) => findButton(db, token, clock())));
  const button = {
    session: "ses",
    sessionAt: 7,
    approval: "r1b1",
    shown: "",
    address: { channel: "telegram", place: "4711" },
    userId: "4711",
    expiresAt: askedAt + 7 * 24 * 3_600_000,
  };
  expect(buttons).toEqual([
    { ...button, decision: "extend" },
    { ...button, decision: "finish" },
  ]);
  expect(await ask()).toMatchObject({ status: 200 });
  expect(sent).toHaveLength(1);
});
