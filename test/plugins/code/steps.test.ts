import { describe, expect, test } from "vitest";
import { STEP, withSteps } from "../../../src/plugins/code/steps.ts";

const stepped = async (code: string): Promise<string> => {
  const done = await withSteps(code);
  if (!done.ok) throw new Error(done.error.message);
  return done.value.replaceAll(`${STEP}()`, "S");
};

/** Runs it as the worker does, and is stopped after so many steps. */
async function run(code: string, most = 10_000): Promise<unknown> {
  const done = await withSteps(code);
  if (!done.ok) throw new Error(done.error.message);
  const Async = Object.getPrototypeOf(async () => {}).constructor as new (
    ...parts: string[]
  ) => (step: () => void) => Promise<unknown>;
  let steps = 0;
  return new Async(STEP, done.value)(() => {
    if (++steps > most) throw new Error("stopped");
  });
}

describe("code with steps", () => {
  test.each([
    ["for (;;) {}", "for (;;) {S;}"],
    ["while (a) b();", "while (a) {S;b();}"],
    ["do a(); while (b)", "do {S;a();} while (b)"],
    [
      "for (const a of b)\n  for (const c in d) e();",
      "for (const a of b)\n  {S;for (const c in d) {S;e();}}",
    ],
    ["function a() { return 1 }", "function a() {S; return 1 }"],
    ["const a = (b) => b + 1", "const a = (b) => (S,b + 1)"],
    ["const a = () => ({ b: 1 })", "const a = () => ((S,{ b: 1 }))"],
    ["const a = () => () => 1", "const a = () => (S,() => (S,1))"],
    ["class A { b() { return 1 } static { c() } }", "class A { b() {S; return 1 } static { c() } }"],
    ["while (a);", "while (a){S;;}"],
    ["a: while (b) { continue a }", "a: while (b) {S; continue a }"],
  ])("%s", async (code, wanted) => {
    expect(await stepped(code)).toBe(wanted);
  });

  test("gives what it gave without them", async () => {
    const code = `
      const fibonacci = (n) => n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
      const primes = [];
      outer: for (let n = 2; primes.length < 5; n++) {
        for (const p of primes) if (n % p === 0) continue outer;
        primes.push(n);
      }
      async function* count() { for (let n = 0; n < 3; n++) yield n }
      let sum = 0;
      for await (const n of count()) sum += n;
      return { fibonacci: fibonacci(10), primes, sum, later: await Promise.all([1, 2].map(async (n) => n * 2)) };`;
    expect(await run(code)).toEqual({ fibonacci: 55, primes: [2, 3, 5, 7, 11], sum: 3, later: [2, 4] });
  });

  test.each([
    "for (;;) {}",
    "while (true);",
    "do {} while (true)",
    "const a = async () => { await null; return a() }; return a()",
    "for (;;) { try { for (;;) {} } catch {} }",
    "const g = (function* () { while (true) yield 1 })(); for (const one of g);",
  ])("%s is stopped", async (code) => {
    await expect(run(code)).rejects.toThrow("stopped");
  });

  test.each([
    ["const a = 1;\nconst b = ;", { message: "SyntaxError: Unexpected token", line: 2 }],
    ["return 1;\n}", { message: "SyntaxError: Unexpected token", line: 2 }],
    ["let a;\nlet a;", { message: "SyntaxError: Identifier 'a' has already been declared", line: 2 }],
    [
      "\nimport fs from 'node:fs';",
      {
        message:
          "It is the body of a function: no import and no export stands in it, and there are no packages.",
        line: 2,
      },
    ],
  ])("%s is wrong, and it says where", async (code, error) => {
    expect(await withSteps(code)).toEqual({ ok: false, error });
  });

  test("what nests too deeply is no crash", async () => {
    const deep = await withSteps(`return ${"[".repeat(49_000)}${"]".repeat(49_000)}`);
    expect(deep).toMatchObject({
      ok: false,
      error: { message: "SyntaxError: Not enough stack space to parse input" },
    });
  });
});
