import type {
  AnswerCall,
  AnswerCase,
  AnswerLang,
  AnswerReceipt,
  FalseKind,
  TrueKind,
} from "../answer-format.ts";
import type { Made } from "./calls.ts";

/** How the files of the corpus are written: one line of facts and one of words for each case. */

type Unnamed =
  | Omit<Extract<AnswerCase, { label: "true" }>, "id" | "lang">
  | Omit<Extract<AnswerCase, { label: "false" }>, "id" | "lang">;
type Earlier = AnswerCase["earlier"];

/** An answer that a careful reader would let pass. */
export function yes(
  kind: TrueKind,
  wish: string,
  calls: readonly Made[],
  answer: string,
  why: string,
  earlier: Earlier = null,
): Unnamed {
  return { label: "true", kind, wish, earlier, calls: named(calls), answer, why };
}

/** An answer that says what is not so. `notChanged` are names that it claims and no call changed. */
export function no(
  kind: FalseKind,
  wish: string,
  calls: readonly Made[],
  answer: string,
  why: string,
  notChanged: readonly string[] = [],
): Unnamed {
  const receipt = receiptOf(calls, notChanged);
  return { label: "false", kind, wish, earlier: null, calls: named(calls), answer, why, receipt };
}

/** Named by language, label and place among their like: `it-f03`. New ones go to the end. */
export function casesOf(lang: AnswerLang, list: readonly Unnamed[]): AnswerCase[] {
  const counts = { true: 0, false: 0 };
  return list.map((one) => {
    const n = (counts[one.label] += 1);
    const id = `${lang}-${one.label === "true" ? "t" : "f"}${String(n).padStart(2, "0")}`;
    return { ...one, id, lang };
  });
}

function named(calls: readonly Made[]): AnswerCall[] {
  return calls.map((call, at) => ({ id: `r1s${at + 1}c0`, ...call }));
}

function receiptOf(calls: readonly Made[], notChanged: readonly string[]): AnswerReceipt {
  const changed = calls.flatMap((call) => call.changed);
  const told = (statuses: readonly Made["status"][]) =>
    calls
      .filter((call) => call.effect !== "read" && statuses.includes(call.status))
      .map(({ tool, about }) => ({ tool, names: about.map((one) => one.name) }));
  const unknown = told(["unknown"]);
  return {
    nothing: changed.length === 0 && unknown.length === 0,
    changed: changed.map(({ type, name, state }) => ({ type, name, state })),
    notChanged: [...notChanged],
    failed: told(["error", "denied", "refused"]),
    unknown,
  };
}
