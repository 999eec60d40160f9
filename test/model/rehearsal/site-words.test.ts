import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { inShort, play } from "./run.ts";
import { ABOUT, PHRASES, WISHES_OF_A_KEEPER } from "./phrases.ts";
import { FakeSite } from "./site.ts";

/** What a person says to the site editor beside pages: posts, undo, history, change sets, settings; and what comes of it. */

/** A call in short: the tool, and what of its input tells it from another. */
function short(name: string, input: Readonly<Record<string, unknown>>): string {
  const [target] = (input["targets"] ?? []) as { ref: string }[];
  const of = input["target"] as { ref: string } | undefined;
  const told = [
    ...(name === "set_status" ? [input["to"], target?.ref] : []),
    ...[of?.ref, input["entry"], ...((input["entries"] ?? []) as string[]), input["page"]],
    ...[input["image"], ...((input["images"] ?? []) as string[])],
    ...[input["title"], input["cover"], input["category"], input["name"], input["q"]],
    ...[input["operation"], input["session"], input["day"], input["at"], input["time"]],
    ...(name === "undo" ? [input["to"]] : []),
  ];
  return [name, ...told.filter((one) => typeof one === "string")].join(" ");
}

test("there are 40 of them at least, no two alike, twelve of which are what a keeper of a site says first", () => {
  expect(new Set(PHRASES.map(({ says }) => says)).size).toBe(PHRASES.length);
  expect(PHRASES.length).toBeGreaterThanOrEqual(40);
  expect(WISHES_OF_A_KEEPER).toHaveLength(12);
});

const RULES = path.resolve(import.meta.dirname, "../../../src/model/rehearsal");
const LINES_MAX = 3_400;

test("the rehearsal model stays small", () => {
  const lines = readdirSync(RULES, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(path.join(one.parentPath, one.name), "utf8").split("\n").length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(LINES_MAX);
});

test("“publish it” means the set only where it was just spoken of", () => {
  const site = new FakeSite();
  site.set = "Spring";
  const played = play(site, "publish it", { memory: [ABOUT] });
  expect(played.calls.map(({ name }) => name)).not.toContain("changes_publish");
  expect(site.set).toBe("Spring");
});

test.each(PHRASES)("“$says”", ({ says, calls, memory, set, undone }) => {
  const site = new FakeSite();
  if (set === true) site.set = "Spring";
  if (undone === true) {
    site.answer("undo", {});
  }
  const played = play(site, says, memory === undefined ? {} : { memory: [memory] });
  expect(played.calls.map(({ name, input }) => short(name, input))).toEqual(calls);
  expect(played.calls.filter((one) => !one.ok).map((one) => one.name)).toEqual([]);
});

test("a time without a day, or with one that is none, is not guessed", () => {
  const site = new FakeSite();
  const played = play(site, "publish the post Winter routes tomorrow at half past");
  expect(inShort(played).filter((one) => one.startsWith("set_status"))).toEqual([]);
});

test("without the tools of change sets it says that it cannot", () => {
  const played = play(new FakeSite(), "publish the set", { tools: ["site_overview", "page_list"] });
  expect(played.calls).toEqual([]);
  expect(played.text).toContain("I could not publish the set");
});
