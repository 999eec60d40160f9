import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineTool, ToolError, tryTool, type Pack } from "../../../src/cairn/tools/define.ts";

/** A tool is tried in one call, as the first call of a session would make it. */

interface Shelf {
  readonly books: Map<string, string>;
}
const preview = (title: string) => ({
  need: { kind: "ask", reason: "It stays." } as const,
  title: `Put ${title}`,
  summary: `Put ${title} on the shelf.`,
  impact: [],
  basis: "empty",
});
const put = defineTool({
  name: "book_put",
  description: "Puts a book on the shelf.",
  input: z.strictObject({ title: z.string().max(10), copies: z.int().default(1) }),
  effect: "keyed",
  tier: "danger",
  preview: async ({ title }, { services }: { services: Shelf }) => {
    if (services.books.size > 1) throw new ToolError("invalid_args", "full", "The shelf is full.");
    return preview(title);
  },
  run: async ({ title, copies }, { key, services, approved, log, progress }) => {
    if (title === "Bug") throw new TypeError("a fault of the tool");
    services.books.set(key, title);
    log(`putting ${title}`);
    progress("almost", 120);
    return { put: title, copies, approved: approved?.basis, at: new Date(0) };
  },
});
const shelf = (...books: string[]): Shelf => ({ books: new Map(books.map((title) => [title, title])) });

describe("a tool that is tried", () => {
  test("has its input checked and filled up, its preview made and approved, and then runs", async () => {
    const services = shelf();
    expect(await tryTool(put, { input: { title: "Emma" }, services })).toEqual({
      preview: preview("Emma"),
      // as the log holds it
      result: {
        ok: true,
        value: { put: "Emma", copies: 1, approved: "empty", at: "1970-01-01T00:00:00.000Z" },
      },
      spent: 0,
      sources: { pages: [], urls: [] },
      logs: ["putting Emma"],
      progress: [{ text: "almost", percent: 100 }],
    });
    // Two calls have one key: a keyed tool has one effect.
    await tryTool(put, { input: { title: "Emma" }, services });
    expect([...services.books]).toEqual([["test/r1s1c0", "Emma"]]);
  });

  test("fails as it would there: by its input before anything, and by its preview before it runs", async () => {
    const full = shelf("a", "b");
    expect(await tryTool(put, { input: { title: "much too long" }, services: full })).toMatchObject({
      preview: null,
      result: { ok: false, error: { class: "invalid_args", code: "invalid_input" } },
    });
    expect(await tryTool(put, { input: { title: "Emma" }, services: full })).toMatchObject({
      preview: null,
      result: { ok: false, error: { code: "full", message: "The shelf is full." } },
    });
    expect(full.books.size).toBe(2);
  });

  test("throws what nobody expected, so that its test shows it", async () => {
    await expect(tryTool(put, { input: { title: "Bug" }, services: shelf() })).rejects.toThrow(
      "a fault of the tool",
    );
  });

  test("takes an input and services of its own types only", async () => {
    const wrong = async (): Promise<void> => {
      // @ts-expect-error: a title is a text
      await tryTool(put, { input: { title: 5 }, services: shelf() });
      // @ts-expect-error: it needs a shelf
      await tryTool(put, { input: { title: "Emma" }, services: null });
    };
    expect(wrong).toBeTypeOf("function");
  });
});

test("a tool of six fields has a title and a version, and fits a pack of its services", () => {
  const pack: Pack<null, Shelf> = { name: "books", tools: [put], prompts: [], services: () => shelf() };
  expect(pack.tools[0]?.definition).toMatchObject({ title: "Book put", version: 1 });
});
