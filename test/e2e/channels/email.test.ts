import { describe, expect, test, vi } from "vitest";
import { PASS, SERVER } from "../../plugins/channels/email/raw-mail.ts";
import { fetchLog, ofKind } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";
import { deliver, sentBy, type SentMail } from "./local-mail.ts";

/** A person who writes mails, through a real server and wrangler's own mail: linked, answered in the thread, asked for a yes. */

const WAIT = { timeout: 20_000, interval: 50 };

const server = useServer(() => [
  "EMAIL_ADDRESS:agent@cairn.example",
  `EMAIL_AUTH_SERVER:${SERVER}`,
  `APPROVAL_LINK_SECRET:${"s".repeat(32)}`,
  "PUBLIC_URL:https://cairn.example",
]);

let people = 0;
let mails = 0;
const newId = (): string => `<m${(mails += 1)}@example.com>`;

/** Somebody who is linked. */
async function linked(): Promise<{ readonly address: string; readonly from: { readonly From: string } }> {
  const address = `person${(people += 1)}@example.com`;
  const from = { From: `Person <${address}>` };
  const made = await fetch(`${server.url}/api/links`, { method: "POST" });
  const { code } = (await made.json()) as { code: string };
  await deliver(server, { ...from, Subject: `/link ${code}`, "Message-ID": newId() }, "", address);
  await sentTo(address, "You are linked");
  return { address, from };
}

const allTo = (address: string): readonly SentMail[] => sentBy(server).filter(({ to }) => to[0] === address);

/** The mail to this address that holds the words, as soon as there is one. */
const sentTo = (address: string, words: string): Promise<SentMail> =>
  vi.waitFor(() => {
    const found = allTo(address).find(({ text }) => text.includes(words));
    if (found === undefined) throw new Error(`no “${words}” in ${JSON.stringify(allTo(address))}`);
    return found;
  }, WAIT);

async function sessionsOf(address: string): Promise<string[]> {
  const response = await fetch(`${server.url}/api/sessions?limit=100`);
  const { items } = (await response.json()) as { items: { id: string }[] };
  const found: string[] = [];
  for (const { id } of items) {
    const [queued] = ofKind(await fetchLog(server.url, id), "run_queued");
    if ((queued?.body.origin as { place?: string } | undefined)?.place === address) found.push(id);
  }
  return found;
}

let pages = 0;
const gated = (end: string): string => {
  const name = `Mailed${(pages += 1)}`;
  const call = (tool: string, input: object) => `/call ${tool} ${JSON.stringify(input)}`;
  const steps = [call("page_create", { name }), call("page_delete", { pages: [name.toLowerCase()] })];
  return [...steps, `/say ${end}`].join("\n/then\n");
};

describe("a person who writes mails", () => {
  test("is answered once, in the thread, by a mail that two servers have delivered", async () => {
    const { address, from } = await linked();
    const id = newId();
    const thread = {
      ...from,
      "Message-ID": id,
      Subject: "Re: The site",
      "In-Reply-To": "<before@example.com>",
      References: "<root@example.com> <before@example.com>",
    };
    const said = "/say **All** is well.\n\nOn Monday Cairn wrote:\n> Hello";
    const routes = ["from one.example", "from other.example"].map((route) =>
      deliver(server, { ...thread, Received: `${route} by ${SERVER}` }, said, address),
    );
    expect((await Promise.all(routes)).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
    const answer = await sentTo(address, "All is well.");
    expect(answer).toMatchObject({ subject: "Re: The site", to: [address] });
    expect(answer.html).toContain("<b>All</b> is well.");
    expect(answer.headers).toMatchObject({
      "In-Reply-To": id,
      References: `<root@example.com> <before@example.com> ${id}`,
      "Auto-Submitted": "auto-replied",
    });
    const [session = "", ...more] = await sessionsOf(address);
    expect(more).toEqual([]);
    const queued = ofKind(await fetchLog(server.url, session), "run_queued");
    expect(queued.map(({ body }) => body.origin)).toEqual([
      { channel: "email", place: address, thread: "<root@example.com>" },
    ]);
    const saidIn = async (): Promise<readonly unknown[]> =>
      ofKind(await fetchLog(server.url, session), "user_message").map(({ body }) => body.parts);
    // A quote in a thread that was not known before is words of others.
    const first = [
      { type: "text", text: "/say **All** is well." },
      { type: "text", text: expect.stringContaining("> Hello"), foreign: true },
    ];
    expect(await saidIn()).toEqual([first]);

    const next = { ...thread, "Message-ID": newId(), "In-Reply-To": id };
    await deliver(server, next, "/say Still well.\n\nOn Monday Cairn wrote:\n> All is well.", address);
    await sentTo(address, "Still well.");
    expect(await sessionsOf(address)).toEqual([session]);
    expect(await saidIn()).toEqual([first, [{ type: "text", text: "/say Still well." }]]);
    expect(allTo(address)).toHaveLength(3);
  });

  test("decides by the link of a mail: looking decides nothing", async () => {
    const { address, from } = await linked();
    await deliver(
      server,
      { ...from, Subject: "Re: x", "Message-ID": newId() },
      gated("It is gone."),
      address,
    );
    const card = await sentTo(address, "Look and decide: ");
    const [, token = ""] = /https:\/\/cairn\.example\/a\/(\S+)/.exec(card.text) ?? [];
    expect(card.html).toContain(`href="https://cairn.example/a/${token}"`);
    const link = `${server.url}/a/${token}`;
    expect((await fetch(link)).status).toBe(200);
    const [session = ""] = await sessionsOf(address);
    expect(ofKind(await fetchLog(server.url, session), "approval_decided")).toEqual([]);
    const form = new URLSearchParams({ decision: "approve" });
    expect((await fetch(link, { method: "POST", body: form })).status).toBe(200);
    await sentTo(address, "It is gone.");
    // The page behind the link says what became of it: no mail does.
    expect(allTo(address)).toHaveLength(3);
  });

  test("has what they attach read; what cannot be read is told", async () => {
    const { address, from } = await linked();
    const attached = (type: string, name: string, content: string): readonly string[] => [
      "--b",
      `Content-Type: ${type}; name=${name}`,
      "Content-Disposition: attachment",
      "",
      content,
    ];
    const body = [
      "--b",
      "Content-Type: text/plain",
      "",
      "/say Seen.",
      ...attached("text/plain", "notes.txt", "The harbour opens at nine."),
      ...attached("image/png", "a.png", "\x89PNG"),
      "--b--",
    ].join("\n");
    const headers = { ...from, "Message-ID": newId(), "Content-Type": "multipart/mixed; boundary=b" };
    await deliver(server, headers, body, address);
    await sentTo(address, "“a.png” was not taken");
    await sentTo(address, "Seen.");
    const [session = ""] = await sessionsOf(address);
    const [said] = ofKind(await fetchLog(server.url, session), "user_message");
    expect(said?.body.parts).toEqual([
      { type: "text", text: "/say Seen." },
      expect.objectContaining({
        type: "file",
        file: expect.objectContaining({ name: "notes.txt", bytes: 26 }),
      }),
    ]);
  });
});

describe("somebody else", () => {
  test("who takes the name of a linked person is not heard, whatever they write of themselves", async () => {
    const { address, from } = await linked();
    const before = sentBy(server).length;
    const fail = `${SERVER}; dkim=none; dmarc=fail header.from=example.com`;
    const forgeries = [
      null,
      fail,
      PASS.replace(SERVER, "mx.evil.example"),
      `${fail}\r\nAuthentication-Results: ${PASS}`,
      PASS.replaceAll("example.com", "evil.example"),
      `${SERVER}; spf=pass smtp.mailfrom=${address}`,
    ];
    for (const found of forgeries) {
      const headers = { ...from, "Message-ID": newId(), "Authentication-Results": found };
      expect((await deliver(server, headers, "/say Forged.", address)).outcome).toBe("ok");
    }
    // The person signed this mail, but addressed it to somebody else.
    await deliver(
      server,
      { ...from, "Message-ID": newId(), To: "eve@evil.example" },
      "/say Forged.",
      address,
    );
    expect(await sessionsOf(address)).toEqual([]);
    // Heard, so all that was delivered before it would have been too.
    await deliver(server, { ...from, "Message-ID": newId() }, "/say Real.", address);
    await sentTo(address, "Real.");
    expect(sentBy(server)).toHaveLength(before + 1);
  });

  test("is told once how to link; a machine is told nothing", async () => {
    const address = "stranger@example.com";
    const from = { From: address };
    for (const [name, value] of [
      ["Auto-Submitted", "auto-replied"],
      ["Precedence", "list"],
    ] as const)
      await deliver(server, { ...from, [name]: value, "Message-ID": newId() }, "I am away.", address);
    await deliver(server, { ...from, "Message-ID": newId() }, "Delivery failed.", "<>");
    expect(allTo(address)).toEqual([]);
    for (const text of ["Hello", "/new", "Publish everything"])
      await deliver(server, { ...from, Subject: "Hi", "Message-ID": newId() }, text, address);
    const [told, ...more] = allTo(address);
    expect(told).toMatchObject({ subject: "Re: Hi", text: expect.stringContaining("/link CODE") });
    expect(more).toEqual([]);
    expect(await sessionsOf(address)).toEqual([]);
  });

  test("who writes to another mailbox, or too much, is told by their own server", async () => {
    const elsewhere = await deliver(server, {}, "Hello", "anna@example.com", "bob@cairn.example");
    expect(elsewhere.rejectReason).toBe("There is no such mailbox here.");
    const large = await deliver(server, { "Message-ID": newId() }, "x".repeat(10_485_760));
    expect(large.rejectReason).toBe("A mail may have 10485760 bytes.");
    const broken = await deliver(server, { From: "nobody", "Message-ID": newId() }, "Hello");
    expect(broken).toEqual({ outcome: "ok" });
  });
});
