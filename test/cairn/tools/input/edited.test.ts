import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Json } from "../../../../src/cairn/core/log/json.ts";
import { definePack, defineTool } from "../../../../src/cairn/tools/define.ts";
import type { Actor } from "../../../../src/cairn/session/api/session-api.ts";
import { platformWith } from "../../../sim/platform/platform.ts";

const ada: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };

/** A session in which a tool with this input was called and waits for a person. */
async function waiting(input: z.ZodType, asked: Json) {
  const seen: { previewed: unknown[]; ran: unknown[] } = { previewed: [], ran: [] };
  const tool = defineTool<null, z.ZodType, Json>({
    name: "pay_out",
    description: "Pays.",
    input,
    effect: "once",
    tier: "publish",
    preview: (value) => {
      seen.previewed.push(value);
      return Promise.resolve({
        need: { kind: "ask", reason: "It pays." } as const,
        title: "Pay",
        summary: JSON.stringify(value),
        impact: [],
        basis: null,
      });
    },
    run: (value) => {
      seen.ran.push(value);
      return Promise.resolve({ ok: true });
    },
  });
  const pack = definePack<null, null>({ name: "own", tools: [tool], prompts: [], services: () => null });
  const platform = platformWith(pack, null, [{ calls: [["pay_out", asked]] }, { text: "Done." }]);
  const parts = [{ type: "text", text: "pay" }] as const;
  await platform.api.send(ada, { id: "m1", parts, mode: null, source: "api", request: null, ask: {} });
  await platform.settle();
  const shown = await platform.api.approval(ada, "r1s1c0a1");
  if (!shown.ok) throw new Error("nothing waits");
  return { platform, seen, shown: shown.value };
}

const APPROVAL = "r1s1c0a1";
const edit = (args: Json) =>
  ({ approval: APPROVAL, decision: "edit", args, reason: "", digest: null }) as const;

const list = z.string().transform((text) => text.split(",").map((word) => word.trim()));

/** schema; as the model writes it; as the card shows it; as the person changes it; as it runs */
const CONVERTED: readonly (readonly [string, z.ZodType, Json, Json, Json, Json])[] = [
  [
    "euros to cents",
    z.object({
      amount: z
        .number()
        .positive()
        .transform((euros) => Math.round(euros * 100)),
    }),
    { amount: 12.5 },
    { amount: 1250 },
    { amount: 125_001 },
    { amount: 125_001 },
  ],
  [
    "percent to a share",
    z.object({
      share: z
        .number()
        .min(0)
        .max(100)
        .transform((percent) => percent / 100),
    }),
    { share: 25 },
    { share: 0.25 },
    { share: 0.5 },
    { share: 0.5 },
  ],
  [
    "hours to milliseconds with a schema behind it",
    z.object({
      wait: z
        .number()
        .transform((hours) => hours * 3_600_000)
        .pipe(z.int().min(0)),
    }),
    { wait: 2 },
    { wait: 7_200_000 },
    { wait: 60_001 },
    { wait: 60_001 },
  ],
  [
    "a text to a list",
    z.object({ to: list }),
    { to: "a, b" },
    { to: ["a", "b"] },
    { to: ["a", "c", "d"] },
    { to: ["a", "c", "d"] },
  ],
  [
    "a text that is JSON",
    z.object({ body: z.string().transform((text): unknown => JSON.parse(text)) }),
    { body: '{"a":1}' },
    { body: { a: 1 } },
    { body: { a: 2, b: [null] } },
    { body: { a: 2, b: [null] } },
  ],
  [
    "an object to another",
    z
      .object({ euros: z.number(), to: z.string() })
      .transform(({ euros, to }) => ({ cents: Math.round(euros * 100), payee: to })),
    { euros: 3, to: "ada" },
    { cents: 300, payee: "ada" },
    { cents: 450, payee: "bob" },
    { cents: 450, payee: "bob" },
  ],
  [
    "a level by name",
    z.object({ level: z.enum(["low", "high"]).transform((level) => (level === "low" ? 1 : 9)) }),
    { level: "low" },
    { level: 1 },
    { level: 9 },
    { level: 9 },
  ],
  [
    "a shift that is written in place",
    z.object({ floor: z.number().overwrite((floor) => floor + 1) }),
    { floor: 3 },
    { floor: 4 },
    { floor: 9 },
    { floor: 9 },
  ],
  [
    "a word that is a truth",
    z.object({ now: z.stringbool() }),
    { now: "yes" },
    { now: true },
    { now: false },
    { now: false },
  ],
  [
    "a number as text",
    z.object({ n: z.coerce.number().transform((n) => n * 2) }),
    { n: "4" },
    { n: 8 },
    { n: 10 },
    { n: 10 },
  ],
  [
    "in a list, behind a union",
    z.object({ rows: z.array(z.union([z.number().transform((n) => n * 10), z.null()])) }),
    { rows: [1, null] },
    { rows: [10, null] },
    { rows: [null, 70] },
    { rows: [null, 70] },
  ],
  [
    "spaces and case, which are taken away again",
    z.object({ code: z.string().transform((text) => text.trim().toUpperCase()) }),
    { code: " ab " },
    { code: "AB" },
    { code: "cd" },
    { code: "CD" },
  ],
  [
    "a default",
    z.object({
      n: z
        .number()
        .transform((n) => n * 100)
        .default(500),
      why: z.string().trim().optional(),
    }),
    {},
    { n: 500 },
    { n: 700, why: " x " },
    { n: 700, why: "x" },
  ],
];

describe("the card, the preview, the digest and run have one value", () => {
  test.each(CONVERTED)("as proposed: %s", async (_name, input, asked, made) => {
    const { platform, seen, shown } = await waiting(input, asked);
    expect(shown.args).toEqual(made);
    platform.restart();
    await platform.api.decide(ada, {
      approval: APPROVAL,
      decision: "approve",
      args: null,
      reason: "",
      digest: shown.digest,
    });
    await platform.settle();
    expect(seen).toEqual({ previewed: [made], ran: [made] });
  });

  test.each(CONVERTED)(
    "after an edit, its preview and a crash: %s",
    async (_name, input, asked, _made, edited, ran) => {
      const { platform, seen } = await waiting(input, asked);
      const preview = await platform.api.preview(ada, { approval: APPROVAL, args: edited });
      if (!preview.ok) throw new Error(preview.error.message);
      expect(preview.value.args).toEqual(ran);
      const decided = await platform.api.decide(ada, edit(preview.value.args));
      if (!decided.ok) throw new Error(decided.error.message);
      expect(decided.value.approval.args).toEqual(ran);
      expect(decided.value.approval.digest).toBe(preview.value.digest);
      expect(await platform.api.decide(ada, edit(preview.value.args))).toMatchObject({
        ok: true,
        value: { replayed: true },
      });
      platform.restart();
      await platform.settle();
      expect(seen.ran).toEqual([ran]);
      expect(seen.previewed.slice(1)).toEqual([ran, ran]);
    },
  );
});

test.each<[string, z.ZodType, Json, Json]>([
  ["beyond what can be asked", CONVERTED[0]![1], { amount: 12.5 }, { amount: -5 }],
  ["between two cents", CONVERTED[0]![1], { amount: 12.5 }, { amount: 12.5 }],
  ["of another type", CONVERTED[3]![1], { to: "a" }, { to: "a,b" }],
  ["that no name stands for", CONVERTED[6]![1], { level: "low" }, { level: 5 }],
  ["that the schema behind it refuses", CONVERTED[2]![1], { wait: 2 }, { wait: -1 }],
])("an edit %s is refused with its place", async (_name, input, asked, edited) => {
  const { platform, seen } = await waiting(input, asked);
  const decided = await platform.api.decide(ada, edit(edited));
  expect(decided).toMatchObject({
    ok: false,
    error: {
      status: 422,
      code: "invalid_args",
      issues: [{ path: `args.${Object.keys(edited as object)[0]}` }],
    },
  });
  expect(seen.ran).toEqual([]);
});

test("arguments of which a number cannot be made are refused, and the model is told where", async () => {
  const input = z.object({ amount: z.string().transform(Number) });
  await expect(waiting(input, { amount: "a lot" })).rejects.toThrow("nothing waits");
});
