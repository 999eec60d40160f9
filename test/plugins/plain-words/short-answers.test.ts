import { describe, expect, test } from "vitest";
import { shortAnswer } from "../../../src/cairn/core/family/rollouts.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { WORDS } from "../../../src/plugins/plain-words/words.ts";

/** Short answers by their words: two attempts that give no answer must not agree on one. */

const said = (answer: string, more: { readonly value?: Json } = {}) =>
  shortAnswer({ outcome: "completed", answer, ...more }, WORDS);

test.each([
  "I could not find it.",
  "I couldn't find it [e1].",
  "**I was unable to find the height.**",
  "Not found.",
  "Nothing was found.",
  "No answer was found.",
  "No information about it is available.",
  "Unknown",
  "N/A",
  "I do not know.",
  "The sources do not say.",
  "It is not stated.",
  "Ich konnte es nicht finden.",
  "Dazu wurde nichts gefunden.",
  "Unbekannt.",
  "Je n'ai rien trouvé.",
  "Aucune information.",
  "No lo he encontrado.",
  "No se sabe.",
  "Sin datos.",
  "It depends.",
  "TBD",
  "none",
  "Nobody",
  "Sources disagree.",
  "There is no consensus.",
  "insufficient data",
  "The question is ambiguous",
  "onbekend",
  "Onbekend",
  "Niet gevonden in 3 bronnen",
  "неизвестно",
  "不明",
  "Das kommt auf die Lage an.",
  "Which one do you mean?",
  "Which of the 3 do you mean?",
  "是 5 吗？",
  "?",
  "—",
  "It is open.",
])("%j is no answer to agree on", (answer) => {
  expect(said(answer)).toBeNull();
});

test.each(["No.", "Yes.", "Nothing Else Matters", "Nein", "0", "Drei Pässe, 2", "It opens in May."])(
  "%j is an answer",
  (answer) => {
    expect(said(answer)).not.toBeNull();
  },
);

describe("a value", () => {
  test("with a name is an answer", () => {
    expect(said("", { value: { pass: "Grimsel", metres: 2164, open: true } })).not.toBeNull();
  });

  test.each<[Json]>([
    [null],
    [""],
    [[]],
    [{}],
    ["not found"],
    [{ answer: null }],
    [{ answer: "unknown", source: "" }],
    [["I could not find it."]],
    [{ answer: "unknown", confidence: 0 }],
    [{ answer: "onbekend", confidence: 0 }],
    [{ found: false, answer: "" }],
    [{ price: 0, currency: "" }],
    [{ status: "failed", reason: "no access" }],
  ])("that says nothing (%j) agrees with nothing", (value) => {
    expect(said("5 m", { value })).toBeNull();
  });
});
