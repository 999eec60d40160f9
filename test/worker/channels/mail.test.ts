import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { openChannels } from "../../fixtures/vendors.ts";
import { createCode } from "../../../src/plugins/channels/people/links.ts";
import { isEmail } from "../../../src/plugins/channels/email/email.ts";
import { receiveMail } from "../../../src/plugins/channels/email/receive-mail.ts";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import { openShelf } from "../http/routes-fixture.ts";
import { parseConfig } from "../../fixtures/config.ts";
import { PASS, rawMail, SERVER } from "../../plugins/channels/email/raw-mail.ts";

/** Mails through real sessions and the real index; what is sent is kept. */

interface Sent {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly headers: Record<string, string>;
}
type Headers = Readonly<Record<string, string | null>>;

const HOUR_MS = 3_600_000;
/** The same for every mail here, so that one that is sent again keeps its date. */
const TODAY = new Date().toUTCString();
let hours = 0;
let people = 0;

/** A mailbox in an hour of its own, so that what one test was told counts for no other. */
function open(variables: Record<string, unknown> = { EMAIL_AUTH_SERVER: SERVER }) {
  const sent: Sent[] = [];
  const faults: unknown[] = [];
  const rejected: string[] = [];
  const mailer = {
    send: async (mail: Sent) => {
      sent.push(mail);
      return { messageId: `sent-${sent.length}@cairn.example` };
    },
  };
  const start = Date.now() + (hours += 1) * HOUR_MS;
  const deps = {
    config: parseConfig({
      AUTH_TOKENS: { "alice-mail-token-0001": { subject: "alice", scopes: ["read", "send", "approve"] } },
    }),
    channels: openChannels({ EMAIL: mailer, EMAIL_ADDRESS: "agent@cairn.example", ...variables }),
    sessions: (id: string) => sessionClient(env, id),
    now: () => start,
    newId: () => `mail-${crypto.randomUUID()}`,
    pictures: null,
    agents: openShelf(parseConfig({})),
    admins: null,
    report: (error: unknown) => void faults.push(error),
  };
  const hear = async (
    headers: Headers,
    body: string,
    { from = "anna@example.com", to = "agent@cairn.example" } = {},
  ): Promise<void> => {
    const bytes = rawMail({ Date: TODAY, ...headers }, body);
    const { readable, writable } = new FixedLengthStream(bytes.length);
    const writer = writable.getWriter();
    void writer.write(bytes).then(() => writer.close());
    const setReject = (why: string): void => void rejected.push(why);
    await receiveMail(deps, env, { from, to, raw: readable, rawSize: bytes.length, setReject });
  };
  const code = async (): Promise<string> => {
    const alice = { subject: "alice", scopes: ["read", "send", "approve"] };
    return (await createCode(env.DB, alice, start)).code;
  };
  return { sent, faults, rejected, hear, code, now: () => start };
}

let mails = 0;
const somebody = () => {
  const address = `w${(people += 1)}-${crypto.randomUUID().slice(0, 8)}@example.com`;
  return {
    address,
    mail: (more: Headers = {}): Headers => ({ From: address, "Message-ID": newId(), ...more }),
  };
};
const newId = (): string => `<w${(mails += 1)}@example.com>`;

async function linked() {
  const box = open();
  const { address, mail } = somebody();
  await box.hear(mail({ Subject: "Hi" }), `/link ${await box.code()}`);
  expect(box.sent.map(({ text }) => text)).toEqual(["You are linked as alice. Say what is to be done."]);
  box.sent.length = 0;
  return { ...box, address, mail };
}

const placesOf = async (address: string) =>
  (
    await env.DB.prepare("SELECT session, thread, answers FROM channel_places WHERE place = ?1")
      .bind(address)
      .all<{ session: string; thread: string; answers: string }>()
  ).results;
const eventsOf = async (session: string) => {
  const reader = { subject: "alice", scopes: ["read"], via: "http" } as const;
  const events = await sessionClient(env, session).events(reader, 0, 200);
  if (!events.ok) throw new Error(events.error.message);
  return events.value.items;
};
const runsOf = async (session: string): Promise<number> =>
  (await eventsOf(session)).filter(({ kind }) => kind === "run_queued").length;
const saidIn = async (session: string): Promise<readonly unknown[]> =>
  (await eventsOf(session)).flatMap((event) => (event.kind === "user_message" ? [event.body.parts] : []));

test("a first mail that comes twice at once makes one session and one run", async () => {
  const { hear, address, mail } = await linked();
  const first = mail({ Subject: "Re: x" });
  await Promise.all([hear(first, "/say One."), hear(first, "/say One."), hear(first, "/say One.")]);
  const [place, ...more] = await placesOf(address);
  expect(more).toEqual([]);
  expect(await runsOf(place?.session ?? "")).toBe(1);
  expect(place).toMatchObject({
    thread: first["Message-ID"],
    answers: expect.stringContaining(first["Message-ID"] ?? ""),
  });
});

test("a mail that is sent once more after a new conversation has begun says nothing there", async () => {
  const { hear, sent, address, mail } = await linked();
  const first = mail({ Subject: "Re: x" });
  const inThread = (): Headers => mail({ Subject: "Re: x", References: first["Message-ID"] ?? "" });
  await hear(first, "/say One.");
  const [before] = await placesOf(address);
  const anew = inThread();
  await hear(anew, "/new");
  await hear(anew, "/new");
  expect(sent.map(({ text }) => text)).toEqual(["A new conversation. What is to be done?"]);
  const [after] = await placesOf(address);
  expect(after?.session).not.toBe(before?.session);
  await hear(first, "/say One.");
  expect(await runsOf(before?.session ?? "")).toBe(1);
  await hear(inThread(), "/say Two.");
  expect(await runsOf(after?.session ?? "")).toBe(1);
  await hear(inThread(), "/stop\n\nOn Monday Cairn wrote:\n> One.");
  expect(sent.at(-1)?.text).toMatch(/^(?:Stopped|Nothing is at work)\.$/);
});

test("a mail that somebody sends again under another Message-ID runs once; the same words on another day run again", async () => {
  const { hear, address, mail } = await linked();
  const first = mail({ Subject: "Re: x" });
  await hear(first, "/say One.");
  const [place] = await placesOf(address);
  const session = place?.session ?? "";
  const inThread = { References: first["Message-ID"] ?? "" };
  await hear(mail({ Subject: "Re: x" }), "/say One.");
  await hear(mail({ Subject: "Re: x", ...inThread }), "/say  One. \n\n");
  expect(await runsOf(session)).toBe(1);
  const tomorrow = new Date(Date.parse(TODAY) + 24 * HOUR_MS).toUTCString();
  await hear(mail({ Subject: "Re: x", Date: tomorrow, ...inThread }), "/say One.");
  expect(await runsOf(session)).toBe(2);
});

test("quotes of the own thread are dropped, and forwarded text is untrusted", async () => {
  const { hear, sent, address, mail } = await linked();
  const first = mail({ Subject: "Re: x" });
  await hear(first, "/say One.");
  const id = first["Message-ID"] ?? "";
  const answer = (): Headers => mail({ Subject: "Re: x", References: id, "In-Reply-To": id });
  await hear(answer(), "/say Two.\n\nOn Monday Cairn wrote:\n> One.");
  const forwarded = answer();
  for (const _ of [1, 2])
    await hear(forwarded, "/say Three.\n\n---------- Forwarded message ---------\n/stop");
  expect(sent).toEqual([]);
  const [place] = await placesOf(address);
  expect(await saidIn(place?.session ?? "")).toEqual([
    [{ type: "text", text: "/say One." }],
    [{ type: "text", text: "/say Two." }],
    [
      { type: "text", text: "/say Three." },
      { type: "text", text: expect.stringContaining("/stop"), foreign: true },
    ],
  ]);
});

test("a forged sender uses no attempt for a code and gets no answer", async () => {
  const { hear, sent, faults, code } = open();
  const { address, mail } = somebody();
  const forged = { "Authentication-Results": `${SERVER}; dmarc=fail header.from=example.com` };
  for (let tries = 0; tries < 6; tries += 1) await hear(mail(forged), "/link WRONGXXX", { from: address });
  expect(sent).toEqual([]);
  expect(faults).toHaveLength(6);
  await hear(mail(), `/link ${await code()}`);
  expect(sent.at(-1)?.text).toContain("You are linked as alice");
});

test("without a trusted server nobody is linked, and the real sender is notified", async () => {
  const box = open({});
  const { address, mail } = somebody();
  const code = await box.code();
  await box.hear(mail({ "Authentication-Results": PASS }), `/link ${code}`, { from: "bounce@evil.example" });
  expect(box.sent).toEqual([]);
  for (const _ of [1, 2]) await box.hear(mail(), `/link ${code}`, { from: address });
  expect(box.sent.map(({ to, text }) => [to, text.includes("EMAIL_AUTH_SERVER")])).toEqual([[address, true]]);
  expect(await env.DB.prepare("SELECT 1 FROM channel_links WHERE user_id = ?1").bind(address).first()).toBe(
    null,
  );
  expect(box.faults).toEqual([]);
});

test("so many strangers are told how to link in an hour, and no more", async () => {
  const { hear, sent } = open();
  for (let each = 0; each < 25; each += 1) await hear(somebody().mail(), "Buy now");
  expect(sent).toHaveLength(20);
  expect(new Set(sent.map(({ to }) => to)).size).toBe(20);
});

test("a refused mail is reported to the server that brings it, and an unreadable one is counted", async () => {
  const box = open();
  await box.hear({}, "Hello", { to: "bob@cairn.example" });
  await box.hear({}, "x".repeat(70_000));
  expect(box.rejected).toEqual([
    "There is no such mailbox here.",
    "The words of a mail may have 65536 bytes.",
  ]);
  await box.hear({ From: "a@example.com, b@example.com" }, "Hello");
  expect(box.faults.map(String)).toEqual([
    "Error: The words of a mail may have 65536 bytes.",
    "Error: The mail names no sender, or several.",
  ]);
  const unset = open({ EMAIL_ADDRESS: "" });
  await unset.hear({}, "Hello");
  expect(unset.rejected).toEqual(["Mail is not set up here."]);
  expect([...box.sent, ...unset.sent]).toEqual([]);
});

test("the channel is there without the server that vouches, and says that it is missing", () => {
  const mailer = { send: () => Promise.reject(new Error("not here")) };
  const stateOf = (variables: Record<string, unknown>) => {
    const { states, names, find } = openChannels(variables);
    const channel = find("email");
    const mailbox = isEmail(channel) ? channel.mailbox : null;
    return { names, mailbox, missing: states.find(({ name }) => name === "email")?.missing };
  };
  expect(stateOf({})).toEqual({
    names: [],
    mailbox: null,
    missing: ["EMAIL_ADDRESS", "EMAIL", "EMAIL_AUTH_SERVER"],
  });
  expect(stateOf({ EMAIL: mailer, EMAIL_ADDRESS: "agent" }).missing).toContain("EMAIL_ADDRESS");
  expect(stateOf({ EMAIL: mailer, EMAIL_ADDRESS: " agent@cairn.example " })).toEqual({
    names: ["email"],
    mailbox: { address: "agent@cairn.example", authServer: null },
    missing: ["EMAIL_AUTH_SERVER"],
  });
});
