import { expect, test } from "vitest";
import { offered } from "../../../src/cairn/definitions.ts";
import { sessionOf, tryTool } from "../../../src/cairn/testing/index.ts";
import { labels, labelsPack, printLabel } from "../../fixtures/docs/print-label.ts";

const input = { address: "Ada\nHill Road 1" };
const printer = (status: number) => ({ print: async () => ({ status, id: "L1" }) });

test("a person sees the address, and the label is the result", async () => {
  expect(await tryTool(printLabel, { input, services: printer(200) })).toMatchObject({
    preview: { need: { kind: "ask" }, impact: ["Ada", "Hill Road 1"] },
    result: { ok: true, value: { label: "L1" } },
  });
});

test("a printer without labels is a failure that says what to do", async () => {
  expect(await tryTool(printLabel, { input, services: printer(409) })).toMatchObject({
    result: { ok: false, error: { code: "no_labels", hint: "Tell the person. Do not try again." } },
  });
});

test("nothing is printed before the yes; what broke off is never tried again, and its outcome is unknown", async () => {
  const printed: string[] = [];
  const breaking = {
    print: async (address: string) => {
      printed.push(address);
      return { status: 502, id: "" };
    },
  };
  const own = offered({ ...labelsPack, services: () => breaking }, {});
  const session = sessionOf({ plugins: [{ name: "labels", tools: () => [own] }] }, [
    { calls: [["print_label", input]] },
    { text: "The printer broke off. I do not know whether the label was printed." },
  ]);
  await session.say("Print a label for Ada.");
  expect(printed).toEqual([]);
  await session.decide("approve");
  expect(printed).toEqual([input.address]);
  expect(session.calls).toMatchObject([{ tool: "print_label", status: "unknown" }]);
});

test("without its address the pack is not offered, and says why", async () => {
  expect(labelsPack.services({})).toEqual({
    unavailable: "Set PRINTER_URL to the address of the printer.",
  });
  const session = sessionOf({ plugins: [labels] }, [{ text: "I have no printer." }]);
  await session.say("Print a label for Ada.");
  expect(session.requests[0]?.tools.map(({ name }) => name)).not.toContain("print_label");
});
