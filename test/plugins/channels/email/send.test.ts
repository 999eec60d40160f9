import { describe, expect, test } from "vitest";
import { createEmail, type Mailer } from "../../../../src/plugins/channels/email/email.ts";
import {
  readReference,
  threadHeaders,
  writeReference,
} from "../../../../src/plugins/channels/email/reference.ts";
import { faultOf, patient } from "../channel-fixture.ts";

type Mail = Parameters<Mailer["send"]>[0];

const address = { channel: "email" as const, place: "anna@example.com" };
const mailbox = { address: "agent@cairn.example" };
const withMailer = (send: Mailer["send"] = () => Promise.resolve({ messageId: "sent-1@cf.example" })) => {
  const mails: Mail[] = [];
  const mailer: Mailer = {
    send: (mail) => {
      mails.push(mail);
      return send(mail);
    },
  };
  return { mails, channel: createEmail({ ...mailbox, mailer }) };
};
const answered = writeReference({
  id: "<m2@example.com>",
  references: ["<m1@example.com>"],
  subject: "Weather  in\nParis",
});

describe("sending", () => {
  test("an answer keeps the thread: its subject, whom it answers and what came before", async () => {
    const { mails, channel } = withMailer();
    const buttons = [
      { label: "Approve", token: "t" },
      { label: "Open", url: "https://cairn.example/a?b=1&c=2" },
    ];
    const receipt = await channel.send(
      { kind: "final", text: "It is **sunny** & < warm.", answers: answered, buttons },
      { ...address, thread: "<m1@example.com>" },
      "run-1.final",
      patient(),
    );
    expect(receipt).toEqual({ id: "<sent-1@cf.example>", parts: 1 });
    expect(mails).toEqual([
      {
        from: "agent@cairn.example",
        to: "anna@example.com",
        subject: "Re: Weather in Paris",
        text: "It is sunny & < warm.\n\nOpen: https://cairn.example/a?b=1&c=2",
        html: '<p>It is <b>sunny</b> &amp; &lt; warm.</p>\n<p>Open: <a href="https://cairn.example/a?b=1&amp;c=2">https://cairn.example/a?b=1&amp;c=2</a></p>',
        headers: {
          "In-Reply-To": "<m2@example.com>",
          References: "<m1@example.com> <m2@example.com>",
          "Auto-Submitted": "auto-replied",
          "X-Cairn-Delivery": "run-1.final",
        },
      },
    ]);
  });

  test("into a thread without knowing its last mail goes below its first; a new mail begins one", async () => {
    const { mails, channel } = withMailer();
    const message = { kind: "final" as const, text: `# The news\n\n${"x".repeat(100)}` };
    await channel.send(message, { ...address, thread: "<m1@example.com>" }, "k1", patient());
    await channel.send(message, address, "k2", patient());
    await channel.send({ ...message, text: "y".repeat(100) }, address, "k3", patient());
    expect(
      mails.map(({ subject, headers }) => [subject, headers["In-Reply-To"], headers["References"]]),
    ).toEqual([
      ["The news", "<m1@example.com>", "<m1@example.com>"],
      ["The news", undefined, undefined],
      [`${"y".repeat(77)}…`, undefined, undefined],
    ]);
    expect(mails[1]?.headers["Auto-Submitted"]).toBe("auto-generated");
  });

  test("an answer to a receipt of ours is in its thread", async () => {
    const { mails, channel } = withMailer();
    const message = { kind: "final" as const, text: "x", answers: "<sent-1@cf.example>" };
    await channel.send(message, { ...address, thread: "<m1@example.com>" }, "k", patient());
    expect(mails[0]?.headers["References"]).toBe("<m1@example.com> <sent-1@cf.example>");
  });

  test("a very long text is cut, and says where the rest is", async () => {
    const { mails, channel } = withMailer();
    const text = Array.from({ length: 400 }, () => "x".repeat(1_000)).join("\n\n");
    await channel.send({ kind: "final", text, link: "https://c.example/s" }, address, "k", patient());
    expect(mails[0]?.text.length).toBeLessThanOrEqual(200_100);
    expect(mails[0]?.text.endsWith("… Read the rest: https://c.example/s")).toBe(true);
  });

  test("a place that is no mailbox is refused, so that none becomes two", async () => {
    const { mails, channel } = withMailer();
    for (const place of [
      "anna",
      "a@b.example, c@d.example",
      "a@b.example\nBcc: c@d.example",
      "<a@b.example>",
    ])
      expect(
        await faultOf(channel.send({ kind: "final", text: "x" }, { ...address, place }, "k", patient())),
      ).toBe("refused: A mailbox is name@domain.");
    expect(mails).toEqual([]);
  });
});

describe("failures", () => {
  const coded = (code: string): Error => Object.assign(new Error("said by the platform"), { code });
  test.each<[Error, string]>([
    [coded("E_SENDER_NOT_VERIFIED"), "auth: Cloudflare does not send the mail: E_SENDER_NOT_VERIFIED."],
    [coded("E_RECIPIENT_SUPPRESSED"), "blocked: Cloudflare does not send the mail: E_RECIPIENT_SUPPRESSED."],
    [
      coded("E_RATE_LIMIT_EXCEEDED"),
      "rate_limited: Cloudflare does not send the mail: E_RATE_LIMIT_EXCEEDED.",
    ],
    [coded("E_HEADER_NOT_ALLOWED"), "refused: Cloudflare does not send the mail: E_HEADER_NOT_ALLOWED."],
    [
      coded("E_INTERNAL_SERVER_ERROR"),
      "unknown: Cloudflare does not send the mail: E_INTERNAL_SERVER_ERROR.",
    ],
    [
      new Error("email to anna@example.com not allowed"),
      "blocked: Cloudflare does not send the mail: email to anna@example.com not allowed.",
    ],
    [new Error("Network connection lost."), "unknown: The mail was not answered for: it may have been sent."],
  ])("%s", async (thrown, fault) => {
    const { channel } = withMailer(() => Promise.reject(thrown));
    expect(await faultOf(channel.send({ kind: "final", text: "x" }, address, "k", patient()))).toBe(fault);
  });

  test("of time: before the call nothing was sent, after it nobody knows", async () => {
    const limit = new AbortController();
    const { mails, channel } = withMailer(() => {
      limit.abort();
      return new Promise(() => undefined);
    });
    const message = { kind: "final" as const, text: "x" };
    expect(await faultOf(channel.send(message, address, "k", AbortSignal.abort()))).toBe(
      "unavailable: There was no time left to send the mail.",
    );
    expect(mails).toEqual([]);
    expect(await faultOf(channel.send(message, address, "k", limit.signal))).toBe(
      "unknown: The mail was not answered for: it may have been sent.",
    );
    expect(mails).toHaveLength(1);
  });
});

describe("a reference", () => {
  test("is read as it was written, and nothing else is one", () => {
    expect(readReference(answered)).toEqual({
      id: "<m2@example.com>",
      references: ["<m1@example.com>"],
      subject: "Weather in Paris",
    });
    expect(["", "x", "{}", "[]", '{"id":1}', "<a b>"].map(readReference)).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  test("of a long thread keeps its first and its last, in a header that is not too long", () => {
    const references = Array.from({ length: 200 }, (_, at) => `<${at}.${"x".repeat(30)}@example.com>`);
    const { References: header = "" } = threadHeaders({ id: "<last@example.com>", references, subject: "" });
    const kept = header.split(" ");
    expect(header.length).toBeLessThanOrEqual(2_048);
    expect([kept[0], kept.at(-1), kept.at(-2)]).toEqual([
      references[0],
      "<last@example.com>",
      references[199],
    ]);
    expect(threadHeaders({ id: "sha256:00", references, subject: "" })).toEqual({});
  });
});
