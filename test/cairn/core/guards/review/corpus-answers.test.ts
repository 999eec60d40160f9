import { describe, expect, test } from "vitest";
import { cardOf } from "../../../../../src/cairn/tools/card.ts";
import { cmsPack, imagesPack } from "../../../../../src/plugins/cms/pack.ts";
import type { AnyTool } from "../../../../../src/cairn/tools/define.ts";
import { ANSWER_LANGS, FALSE_KINDS, TRUE_KINDS, type AnswerCase } from "../../../../corpus/answer-format.ts";
import { loadAnswers } from "../../../../corpus/answers/index.ts";
import { CMS_TOOLS, OWN_TOOLS, TOOLS } from "../../../../corpus/answers/tools.ts";

const answers = loadAnswers();
const cards = new Map(
  [...cmsPack.tools, ...imagesPack.tools].map((tool) => [
    tool.definition.name,
    cardOf(tool as AnyTool<unknown>, "cms"),
  ]),
);
const inputs = new Map(
  [...cmsPack.tools, ...imagesPack.tools].map((tool) => [tool.definition.name, tool.definition.input]),
);
const declared = new Map(Object.entries(TOOLS));

/** Contradictions inside a call, or between a call and its tool. */
function callFaults({ calls }: AnswerCase): string[] {
  return calls.flatMap((call, at) => {
    const { tool, title, effect, verbs, status, changed, reusedFrom, proposed } = call;
    const faults: string[] = [];
    if (call.id !== `r1s${at + 1}c0`) faults.push("calls are numbered");
    if (JSON.stringify(declared.get(tool)) !== JSON.stringify({ title, effect, verbs }))
      faults.push("declaration");
    for (const given of proposed === null ? [call.input] : [call.input, proposed]) {
      const parsed = inputs.get(tool)?.safeParse(given);
      if (parsed?.success === false) faults.push(`input: ${parsed.error.message}`);
    }
    const output = JSON.parse(call.observation) as { ok?: boolean; error?: { code: string } };
    if ((status === "ok") !== (output.error === undefined)) faults.push("status and observation");
    if (changed.length > 0 && (effect === "read" || status !== "ok" || reusedFrom !== null))
      faults.push("changed by what does not change");
    if (status === "unknown" && effect !== "once") faults.push("only once calls end unknown");
    if (reusedFrom !== null && !calls.slice(0, at).some((one) => one.id === reusedFrom))
      faults.push("reused");
    if (proposed !== null && JSON.stringify(proposed) === JSON.stringify(call.input))
      faults.push("not edited");
    return faults.map((fault) => `${call.id} ${tool}: ${fault}`);
  });
}

/** Contradictions between a label and the calls. */
function labelFaults(one: AnswerCase): string[] {
  if (one.label === "true") return [];
  const { receipt, calls, kind } = one;
  const faults: string[] = [];
  const changed = calls.flatMap((call) => call.changed);
  const has = (status: string): boolean => calls.some((call) => call.status === status);
  if (receipt.nothing !== (changed.length === 0 && !has("unknown"))) faults.push("nothing");
  if (receipt.changed.length !== changed.length) faults.push("changed");
  if (receipt.notChanged.some((name) => changed.some((each) => each.name === name)))
    faults.push("a name is changed and not changed");
  const contradicts =
    receipt.nothing || receipt.failed.length + receipt.unknown.length + receipt.notChanged.length > 0;
  if (!contradicts && kind !== "wrong_number" && kind !== "state") faults.push("nothing contradicts it");
  const needs: Partial<Record<typeof kind, boolean>> = {
    no_call: calls.every((call) => call.effect === "read"),
    failed: has("error") && changed.length === 0,
    denied: has("denied") && changed.length === 0,
    one_of_many: changed.length > 0 && (has("error") || has("denied")),
    half_done: changed.length > 0 && (has("error") || has("denied")),
    edited: calls.some((call) => call.proposed !== null),
    unknown: has("unknown"),
    other_object: changed.length > 0 && receipt.notChanged.length > 0,
    wrong_number: changed.length > 0,
  };
  if (needs[kind] === false) faults.push(`no case of ${kind}`);
  return faults;
}

describe("the corpus of answers", () => {
  test("names the tools as they declare themselves", () => {
    for (const [name, { title, effect, verbs }] of Object.entries(CMS_TOOLS)) {
      const card = cards.get(name);
      expect({ title: card?.title, effect: card?.effect, verbs: card?.traits.verbs ?? [] }).toEqual({
        title,
        effect,
        verbs,
      });
    }
    expect(Object.keys(OWN_TOOLS).filter((name) => cards.has(name))).toEqual([]);
  });

  test("has sound cases only, each with its own id", () => {
    const faults = answers.flatMap((one) =>
      [...callFaults(one), ...labelFaults(one)].map((fault) => `${one.id}: ${fault}`),
    );
    expect(faults).toEqual([]);
    expect(new Set(answers.map((one) => one.id)).size).toBe(answers.length);
  });

  test("has no case twice", () => {
    const bodies = answers.map(({ calls, answer, wish }) => JSON.stringify({ calls, answer, wish }));
    expect(new Set(bodies).size).toBe(bodies.length);
  });

  test("has the sizes that its measurement needs", () => {
    const count = (label: string): number => answers.filter((one) => one.label === label).length;
    expect(answers.length).toBeGreaterThanOrEqual(140);
    expect(count("false") / answers.length).toBeGreaterThanOrEqual(0.5);
    expect(count("true") / answers.length).toBeGreaterThan(0.45);
    for (const lang of ANSWER_LANGS) {
      const own = answers.filter((one) => one.lang === lang);
      expect(own.filter((one) => one.label === "false").length, lang).toBeGreaterThanOrEqual(7);
      expect(own.filter((one) => one.label === "true").length, lang).toBeGreaterThanOrEqual(7);
    }
  });

  test("has every kind several times, and in several languages", () => {
    const langsOf = (kind: string, label: string): number =>
      new Set(answers.filter((one) => one.kind === kind && one.label === label).map((one) => one.lang)).size;
    expect(FALSE_KINDS.filter((kind) => langsOf(kind, "false") < 6)).toEqual([]);
    expect(TRUE_KINDS.filter((kind) => langsOf(kind, "true") < 2)).toEqual([]);
    for (const kind of ["report", "reading", "list", "failure"])
      expect(langsOf(kind, "true"), kind).toBe(ANSWER_LANGS.length);
  });
});
