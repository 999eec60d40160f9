import { describe, expect, test } from "vitest";
import * as z from "zod";
import { sessionOf } from "../../src/cairn/testing/index.ts";
import { defineAgent } from "../../src/cairn/agents/define.ts";
import { offered } from "../../src/cairn/plugin.ts";
import { definePack, defineTool } from "../../src/cairn/tools/define.ts";

/** A session of `cairn/testing`: what the tests of a project are written with. */

interface Printer {
  print(address: string): void;
}
const input = z.strictObject({ address: z.string() });
const printLabel = defineTool<{ readonly PRINTER: Printer }, typeof input, { readonly label: string }>({
  name: "print_label",
  description: "Prints a label.",
  input,
  effect: "once",
  tier: "external",
  preview: async ({ address }) => ({
    need: { kind: "ask", reason: "It stays." },
    title: "Print a label",
    summary: `Print a label for ${address}.`,
    impact: [],
    basis: null,
  }),
  run: async ({ address }, { services }) => {
    services.PRINTER.print(address);
    return { label: "L1" };
  },
});

function shop() {
  const printed: string[] = [];
  const PRINTER: Printer = { print: (address) => void printed.push(address) };
  const session = sessionOf({ tools: [printLabel], env: { PRINTER } }, [
    { calls: [["print_label", { address: "Ada" }]] },
    { text: "I printed the label for Ada." },
  ]);
  return { session, printed };
}

describe("sessionOf", () => {
  test("waits for the person, and goes on from there", async () => {
    const { session, printed } = shop();
    await session.say("Print a label for Ada.");
    expect(session.waiting).toMatchObject({
      tool: "print_label",
      input: { address: "Ada" },
      title: "Print a label",
    });
    expect(session.reply).toBeNull();
    await session.decide("approve");
    expect(printed).toEqual(["Ada"]);
    expect(session.calls).toMatchObject([{ tool: "print_label", status: "ok" }]);
    expect(session.waiting).toBeNull();
    expect(session.reply).toContain("I printed the label");
    expect(session.requests).toHaveLength(2);
  });

  test("a no is the end of the call, also after the process has ended in between", async () => {
    const { session, printed } = shop();
    await session.say("Print a label for Ada.");
    await session.crash();
    expect(session.waiting).not.toBeNull();
    await session.decide("deny", "She comes by.");
    expect(printed).toEqual([]);
    expect(session.calls).toMatchObject([{ status: "denied" }]);
  });

  test("an approval that nobody answers expires", async () => {
    const { session, printed } = shop();
    await session.say("Print a label for Ada.");
    await session.wait(8 * 24 * 60 * 60_000);
    expect(session.waiting).toBeNull();
    expect(printed).toEqual([]);
  });

  test("a member's run cannot call what is for admins", async () => {
    const { session, printed } = shop();
    await session.say("Print a label for Ada.", { as: "member" });
    expect(session.waiting).toBeNull();
    expect(printed).toEqual([]);
    expect(session.calls).not.toMatchObject([{ status: "ok" }]);
  });

  test("a question is answered", async () => {
    const session = sessionOf({}, [
      { calls: [["ask_human", { question: "Which colour?" }]] },
      { text: "Then it is green, as you wish it to be." },
    ]);
    await session.say("Paint it.");
    await session.answer("green");
    expect(session.reply).toContain("green");
  });

  test("plugins and agents are taken as a project gives them", async () => {
    const count = defineTool<null, z.ZodType, number>({
      name: "count",
      description: "Counts.",
      input: z.strictObject({}),
      effect: "read",
      tier: "open",
      run: async () => 3,
    });
    const pack = definePack<object, null>({
      name: "counting",
      tools: [count],
      prompts: [],
      services: () => null,
    });
    const agent = defineAgent({ description: "Counts.", instructions: "<count>Count to three.</count>" });
    const session = sessionOf(
      { agent, plugins: [{ name: "counting", tools: ({ env }) => [offered(pack, env)] }] },
      [{ calls: [["count", {}]] }, { text: "There are three of them in all." }],
    );
    await session.say("Count.");
    expect(session.calls).toMatchObject([{ tool: "count", status: "ok" }]);
    expect(session.requests[0]?.instructions).toContain("Count to three.");
  });

  test("a mistake of the test is a sentence", async () => {
    const { session } = shop();
    await expect(session.decide("approve")).rejects.toThrow("No call waits for a decision.");
    await expect(session.answer("x")).rejects.toThrow("No such session.");
    const short = sessionOf({ tools: [printLabel], env: {} }, []);
    await expect(short.say("Print.")).rejects.toThrow("The script has 0 lines");
    expect(() => sessionOf({ tools: [printLabel, printLabel] }, [])).toThrow(
      "two tools are named print_label",
    );
  });
});
