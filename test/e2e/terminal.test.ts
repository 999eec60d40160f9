import { describe, expect, test } from "vitest";
import { chat, run, type Command } from "./clients/command.ts";
import { answerOf, callsOf, fetchLog, ofKind } from "./clients/log.ts";
import { useServer } from "./clients/server.ts";

/** `npm run chat` as a person at a terminal has it, and as a script has it, against a real server. */

const server = useServer();

const unpublish = (page: string): string =>
  `/call set_status ${JSON.stringify({ targets: [{ type: "page", ref: page }], to: "unpublished" })}`;
const visible = async (page: string): Promise<number> => (await fetch(`${server.url}/site/${page}`)).status;

describe("without a terminal", () => {
  test("what waits for a person goes on waiting, and is decided by whoever comes back", async () => {
    const wish = `${unpublish("about")}\n/then\n/say Tried.`;
    const left = await chat(server.url, [wish, "--session", "silent"]).exit;
    expect([left.code, left.err]).toEqual([4, expect.stringContaining("waits for a decision")]);
    const log = await fetchLog(server.url, "silent");
    expect(ofKind(log, "approval_requested")).toHaveLength(1);
    expect([...ofKind(log, "approval_decided"), ...ofKind(log, "run_ended")]).toEqual([]);

    // A pipe that was filled before the card was shown decides nothing.
    for (const early of ["y\n", "n because it is needed\n", "\n"]) {
      const { code, err } = await chat(server.url, ["--session", "silent"], early).exit;
      expect([code, err]).toEqual([4, expect.stringContaining("waits for a decision")]);
    }
    expect(ofKind(await fetchLog(server.url, "silent"), "approval_decided")).toEqual([]);

    const command = chat(server.url, ["--session", "silent"], null);
    await command.saw("Approve?");
    command.child.stdin?.end("n because it is needed\n");
    const again = await command.exit;
    expect(again.code).toBe(3);
    expect(again.err).toContain("Latest messages:");
    expect(callsOf(await fetchLog(server.url, "silent")).map((each) => each.status)).toEqual(["denied"]);
    expect(await visible("about")).toBe(200);
  });

  test("a question that is open is exit code 4 too", async () => {
    const wish = '/call ask_human {"question":"Which colour?"}\n/then\n/say Fine.';
    const { code, err } = await chat(server.url, [wish, "--session", "question"]).exit;
    expect([code, err]).toEqual([4, expect.stringContaining("waits for an answer")]);
  });

  test("the lines of a script are one message, and a word of the terminal is carried out in its turn", async () => {
    const input =
      "/call site_overview {}\n/then\n/say Seen.\n/session\n/stopp\n /stopp\n/quit\n/say Never.\n";
    const { code, out, err } = await chat(server.url, ["--session", "lines"], input).exit;
    // The last message was not understood.
    expect(code).toBe(1);
    expect(out).toContain("Seen.");
    expect(err).toContain("lines at http");
    expect(err).toContain("Unknown command /stopp");
    const said = ofKind(await fetchLog(server.url, "lines"), "user_message");
    expect(said.map(({ body }) => body["parts"])).toMatchObject([
      [{ text: "/call site_overview {}\n/then\n/say Seen." }],
      [{ text: "/stopp" }],
    ]);
  });

  test.each([
    ["a message that is not understood", ["asdf qwer"], undefined, 1],
    ["a part of one", ["Which pages are on the site? What's the weather like in Berlin?"], undefined, 3],
    ["the last line of a pipe", [], "blorb the frobnicate\n", 1],
    ["a pipe with a command that there is not", [], "/stopp\n", 1],
  ])("%s has an exit code that a script sees", async (_, words, input, expected) => {
    expect((await chat(server.url, words, input).exit).code).toBe(expected);
  });

  test("--quiet prints the answer alone", async () => {
    const wish = "/call site_overview {}\n/then\n/say Seen, and nothing else.";
    const quiet = await chat(server.url, [wish, "--quiet", "--session", "quiet"]).exit;
    expect(quiet).toEqual({
      code: 0,
      out: "Seen, and nothing else.\n",
      err: "  · Answered.\n  – Nothing was changed.\n",
    });
    expect(answerOf(await fetchLog(server.url, "quiet"))).toBe("Seen, and nothing else.");
    const asked = await chat(server.url, [`${unpublish("about")}\n/then\n/say Tried.`, "--quiet"]).exit;
    expect([asked.code, asked.out]).toEqual([4, ""]);
    expect(asked.err).toMatch(/^┌ May I\? Unpublish[^]*The run waits for a decision\. To give it: /);
  });
});

describe("at a terminal", () => {
  const PASTE = { on: "\u001b[200~", off: "\u001b[201~" };

  /** `npm run chat` on a terminal of its own; what is typed goes in as keys. */
  function sit(args: readonly string[], editor = ""): Command & { type(keys: string): void } {
    const line = ["npm", "run", "--silent", "chat", "--", "--url", server.url, ...args]
      .map((word) => `'${word}'`)
      .join(" ");
    const command = run("script", ["-qec", `VISUAL='${editor}' EDITOR=vi ${line}`, "/dev/null"], null);
    return { ...command, type: (keys) => void command.child.stdin?.write(keys) };
  }

  test("a pasted script is one message; a change is shown before the yes; Ctrl-C twice leaves it as it was", async () => {
    const one = sit(["--session", "typed-at"]);
    await one.saw("you> ");
    one.type(`${PASTE.on}${unpublish("about")}\r/then\r/say Tried.${PASTE.off}\r`);
    await one.saw("Approve?");
    one.type("e\r");
    await one.saw("targets[0].type: ");
    one.type("\r");
    await one.saw("targets[0].ref: ");
    // Ctrl-U clears the value that stands there.
    one.type("\u0015contact\r");
    await one.saw("to: ");
    one.type("\r");
    await one.saw("Approve it like this?");
    expect(one.out()).toContain("Changed: may I? Unpublish the page “Contact”");
    one.type("\u0003");
    await one.saw("Ctrl-C again leaves");
    one.type("\u0003");
    expect((await one.exit).code).toBe(4);
    const log = await fetchLog(server.url, "typed-at");
    expect(ofKind(log, "user_message")).toHaveLength(1);
    expect([...ofKind(log, "approval_decided"), ...ofKind(log, "run_ended")]).toEqual([]);

    const two = sit(["--session", "typed-at"]);
    await two.saw("Approve?");
    expect(two.out()).toContain("Latest messages:");
    two.type("/quit\r");
    await two.saw("The run waits for a decision.");
    expect((await two.exit).code).toBe(4);

    const three = sit(["--session", "typed-at"], "sed -i s/about/contact/");
    await three.saw("Approve?");
    three.type("e\r");
    await three.saw("Approve it like this?");
    three.type("y\r");
    await three.saw("Tried.");
    await three.saw("answered");
    expect([await visible("about"), await visible("contact")]).toEqual([200, 404]);
  });

  test("keys that were meant for something else decide nothing, and stay in the line", async () => {
    const one = sit(["--session", "too-early"]);
    await one.saw("you> ");
    one.type(`${PASTE.on}${unpublish("about")}\r/then\r/say Tried.${PASTE.off}\r`);
    // On the screen is the card, and not yet the prompt: yes, no and Enter all come too early.
    await one.saw("May I? Unpublish");
    one.type("y\r");
    await one.saw("decides nothing");
    await one.saw("Approve? [y/N");
    one.type("\r");
    await expect.poll(() => one.out().split("decides nothing").length).toBe(3);
    expect(ofKind(await fetchLog(server.url, "too-early"), "approval_decided")).toEqual([]);
    one.type("\u0015no, wait: check the footer\r");
    await one.saw("Unknown reply.");
    expect(ofKind(await fetchLog(server.url, "too-early"), "approval_decided")).toEqual([]);
    one.type("\u0003");
    one.type("\u0003");
    expect((await one.exit).code).toBe(4);
    expect(await visible("about")).toBe(200);
  });

  test("the seconds of a slow model are counted, /stop stops it, and /quit leaves one that works", async () => {
    const one = sit(["--session", "slow"]);
    await one.saw("you> ");
    one.type("/wait 60000\r");
    await one.saw("thinking · 1 s");
    one.type("/stop\r");
    await one.saw("stopped · ");
    one.type("/wait 61000\r");
    await expect
      .poll(async () => ofKind(await fetchLog(server.url, "slow"), "run_started").length, { timeout: 10_000 })
      .toBe(2);
    one.type("/quit\r");
    await one.saw("The run continues.");
    expect((await one.exit).code).toBe(130);
    const log = await fetchLog(server.url, "slow");
    expect(ofKind(log, "run_ended").map(({ body }) => body["class"])).toEqual(["cancelled"]);
    await fetch(`${server.url}/api/sessions/slow/cancel`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"all":true}',
    });
  });

  test("a yes that is remembered says so, decides the next call, and is taken back", async () => {
    const rename = (name: string): string => `/call page_update ${JSON.stringify({ page: "about", name })}`;
    const publish = '/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"published"}';
    const one = sit(["--session", "remembered"]);
    await one.saw("you> ");
    // The same call twice, and each time there is something to publish.
    one.type(`${PASTE.on}${rename("About, once")}\r/then\r${publish}${PASTE.off}\r`);
    await one.saw("Approve?");
    one.type("y remember\r");
    await one.saw("Remembered for an hour");
    await one.saw("answered · ");
    one.type(`${PASTE.on}${rename("About, twice")}\r/then\r${publish}${PASTE.off}\r`);
    await one.saw("because a decision is remembered");
    one.type("/forget\r");
    await one.saw("Forgotten: the approval of the same call (set_status).");
    const detail = await (await fetch(`${server.url}/api/sessions/remembered`)).json();
    expect(detail).toMatchObject({ policies: [] });
  });

  /** Ten of the twelve calls of a lean run, then a question that it waits for. */
  function nearlyUsed(end: string): string {
    const finds = (words: readonly string[]) =>
      words.map((query) => `/call find ${JSON.stringify({ query })}`);
    return [
      "/lean",
      ...finds(["hiking", "contact", "blog", "team", "prices", "news", "about"]),
      "/then",
      ...finds(["footer", "image", "welcome"]),
      "/then",
      '/call ask_human {"question":"Shall I go on?"}',
      "/then",
      `/say ${end}`,
    ].join("\r");
  }

  test("a run that has nearly used a budget is given more by /extend, or ends by /enough, while it asks something else", async () => {
    const one = sit(["--session", "extended"]);
    await one.saw("you> ");
    one.type("/extend\r");
    await one.saw("No run asks for more.");
    one.type(`${PASTE.on}${nearlyUsed("It had enough.")}${PASTE.off}\r`);
    await one.saw("10 of 12 calls of tools are used. May it have more?");
    await one.saw("Your answer:");
    one.type("/extend\r");
    await one.saw("The run has more.");
    one.type("/enough\r");
    await expect.poll(() => one.out().split("No run asks for more.").length).toBe(3);
    one.type("Yes, go on.\r");
    await one.saw("It had enough.");
    await one.saw("answered · ");
    const log = await fetchLog(server.url, "extended");
    expect(ofKind(log, "budget_answered").map(({ body }) => body["decision"])).toEqual(["extend"]);
    expect(ofKind(log, "user_message")).toHaveLength(1);

    const two = sit(["--session", "finished"]);
    await two.saw("you> ");
    two.type(`${PASTE.on}${nearlyUsed("It had enough.")}${PASTE.off}\r`);
    await two.saw("Your answer:");
    two.type("/enough\r");
    await two.saw("The run finishes with what there is.");
    await expect
      .poll(async () => {
        const finished = await fetchLog(server.url, "finished");
        return ofKind(finished, "budget_answered").map(({ body }) => body["decision"]);
      })
      .toEqual(["finish"]);
  });
});
