import { expect, test } from "vitest";
import { tryTool } from "../../../src/cairn/tools/define.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { labelsPack, printLabel } from "../../fixtures/docs/print-label.ts";
import { sessionOf } from "./session-fixture.ts";

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
  const session = sessionOf({ ...labelsPack, services: () => breaking }, {}, [
    { calls: [["print_label", input]] },
    { text: "The printer broke off. I do not know whether the label was printed." },
  ]);
  session.say("Print a label for Ada.", { role: "admin" });
  await session.settle();
  expect(printed).toEqual([]);
  session.decide("approve");
  await session.settle();
  expect(printed).toEqual([input.address]);
  const settled = session.log.flatMap((entry) => (entry.kind === "call_settled" ? [entry.body.status] : []));
  expect(settled).toEqual(["unknown"]);
});

test("without its address the pack is not offered, and says why", () => {
  const tools = new Registry("demo", () => 0).add(labelsPack, {});
  expect(tools.cards()).toEqual([]);
  expect(tools.problems()).toEqual([
    { about: "pack labels", message: "Set PRINTER_URL to the address of the printer." },
  ]);
});
