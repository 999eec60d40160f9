import { parseAst } from "vitest/node";
import { expect, test } from "vitest";
import { endWords } from "../../src/cairn/core/text/cause-words.ts";
import { effectWords } from "../../src/cairn/protocol/effect-words.ts";
import { verdictWords } from "../../src/cairn/protocol/stream/data-parts.ts";
import { rhythmText } from "../../src/page/settings/schedule.ts";
import { readTexts } from "./source-tree.ts";

/** Text on the page and in the terminal must not contain the words that only this code uses. */

const INSIDE =
  /\b(keyed|digests?|fingerprints?|dead-man|fold(s|ed|ing)?|rows?|seq|UTC|mend(s|ed|ing)?|leash)\b/i;
/** Turns of phrase of the old dialect, each of which has a plain word: running, continues, approved, declined, revoked, message. */
const DIALECT =
  /\b(at work|go(es)? on|said (yes|no)|in circles|tak(e|es|en) (it )?back|bears? out|whoever|anew|wish(es)?|lately|its time is over|(an|the) other runs?|throw (it )?away|kept nowhere)\b/i;
/** A code of a guard, or a reason with its colon. Variables of a deployment are written like codes, and a person types them. */
const CODE =
  /\b(BUDGET|LOOP|REVIEW|PLAN|POLICY|CHANNEL|AUTONOMY|TOOL|REPLY|NUDGE)_[A-Z_]+\b|\b(budget|provider|review):[a-z]/;

/** The texts of a file: what stands between tags, and every string of at least two words that is no class of CSS and no SQL. */
function textsOf(text: string, lang: "ts" | "tsx"): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== "object" || value === null || !("type" in value)) return;
    const node: { readonly [key: string]: unknown } = { ...value };
    const name = node["name"];
    if (node["type"] === "JSXAttribute" && JSON.stringify(name).includes('"className"')) return;
    const said = node["type"] === "TemplateElement" ? JSON.stringify(node["value"]) : node["value"];
    if (typeof said === "string" && (node["type"] === "JSXText" || /[a-z] | [a-z]/i.test(said)))
      found.push(said.trim());
    Object.values(node).forEach(visit);
  };
  visit(parseAst(text, { lang }));
  return found.filter((each) => each !== "" && !each.startsWith("SELECT "));
}

const offences = (texts: readonly string[]): readonly string[] =>
  texts.filter((text) => INSIDE.test(text) || CODE.test(text) || DIALECT.test(text));

test("finds the texts of a file, and what in them is of the inside", () => {
  const source = [
    '<p className="row wide" title="The digest of it">Folded twice</p>;',
    "const a = `up to row ${n}`;",
    'const b = "budget:steps"; const c = "it ended: budget:steps"; const d = { kind: "row" };',
  ].join("\n");
  expect(offences(textsOf(source, "tsx"))).toEqual([
    "The digest of it",
    "Folded twice",
    '{"raw":"up to row ","cooked":"up to row "}',
    "it ended: budget:steps",
  ]);
});

test.each(["src/page", "src/cli"])("the texts of %s are plain words", (folder) => {
  const files = readTexts(folder).map(({ path, text }) => ({
    path,
    texts: textsOf(text, path.endsWith("x") ? "tsx" : "ts"),
  }));
  expect(files.flatMap(({ texts }) => texts).length).toBeGreaterThan(3);
  expect(files.flatMap(({ path, texts }) => offences(texts).map((text) => `${path}: ${text}`))).toEqual([]);
});

test("reasons, effects, stops and rhythms are told without their codes", () => {
  const reasons = [
    "budget:steps",
    "budget:day",
    "provider:timeout",
    "review:CLAIM_UNBACKED",
    "stuck",
    "odd:code",
  ];
  const told = [
    ...reasons.map((reason) => endWords("partial", reason)),
    ...["read", "keyed", "once"].map(effectWords),
    ...["BUDGET_STEPS", "MODEL_DOWN", "AN_ODD_ONE"].map((code) =>
      verdictWords({ level: "stop", codes: [code] }),
    ),
    rhythmText({ kind: "cron", everyMs: null, cron: "0 9 * * *", timeZone: "UTC" }, "Europe/Vienna"),
  ];
  for (const text of told) expect(text).toMatch(/^[^:_]* [^:_]*$|^\(stopped: [^:_]+\)$|\d\d:\d\d/);
  expect(offences(told.map((text) => text ?? ""))).toEqual([]);
});
