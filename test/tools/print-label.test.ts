import { expect, test } from "vitest";
import { labelsPack } from "../fixtures/docs/print-label.ts";
import { Registry } from "../../src/tools/registry.ts";

/** A registry with this pack alone, and a printer that gives this answer. */
const toolsWith = (status: number): Registry =>
  new Registry("demo", () => 0).add(
    { ...labelsPack, services: () => ({ print: async () => ({ status, id: "L1" }) }) },
    {},
  );
const order = {
  ...{ call: "r1s1c0", tool: "print_label", input: { address: "Ada\nHill Road 1" } },
  ...{ key: "demo/r1s1c0", run: "r1", subject: "me", attempt: 1, at: 0, approved: null },
};
const { signal } = new AbortController();

test("a person is asked, and sees the address", async () => {
  const tools = toolsWith(200);
  expect(tools.check("print_label", order.input)).toMatchObject({ ok: true, card: { gate: "ask" } });
  expect(await tools.preview(order, signal)).toMatchObject({
    kind: "ok",
    preview: { need: { kind: "ask" }, impact: ["Ada", "Hill Road 1"] },
  });
});

test("a printed label is the result", async () => {
  expect(await toolsWith(200).run(order, signal)).toMatchObject({ kind: "ok", text: '{"label":"L1"}' });
});

test("a printer without labels is a failure that is certain", async () => {
  expect(await toolsWith(409).run(order, signal)).toMatchObject({
    kind: "failed",
    lost: false,
    failure: { code: "no_labels", retryable: false },
  });
});

test("a printer that breaks off leaves the outcome open: `lost`, so the call is never run again", async () => {
  expect(await toolsWith(502).run(order, signal)).toMatchObject({ kind: "failed", lost: true });
});

test("without its address the pack is not offered, and says why", () => {
  const tools = new Registry("demo", () => 0).add(labelsPack, {});
  expect(tools.cards()).toEqual([]);
  expect(tools.problems()).toEqual([
    { about: "pack labels", message: "Set PRINTER_URL to the address of the printer." },
  ]);
});
