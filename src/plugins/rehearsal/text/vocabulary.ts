import type { Token } from "./tokens.ts";
import { wordSet } from "./tokens.ts";

/** Words that join or turn requests. No unquoted name or text may contain one. */

export const AND = wordSet("and");

/** Words that change the meaning of the words around them. */
export const TURNING = wordSet(`
  not don't dont doesn't didn't isn't won't can't cannot shouldn't wouldn't never no nope without but except excepting excluding
  besides unless if when whenever once until till while before after unlike instead rather only just wait actually sorry scratch
  cancel forget nevermind stop abort ignore disregard kidding joking mean meant tomorrow tonight later monday tuesday wednesday
  thursday friday saturday sunday week month noon midnight maybe perhaps might or either neither nor otherwise else almost unsure
  correction nothing none whatever hold leave keep untouched unchanged already yet`);

/** Words that begin a request. */
export const VERBS = wordSet(`
  create make build add put insert include set publish unpublish release remove delete erase drop move hide show unhide rename call
  name change update edit replace swap use list tell find search look duplicate copy clone undo revert link give take get send email
  mail write translate check remember post tweet share design generate order book buy explain describe invite read open summarise
  summarize switch turn activate deactivate enable disable install deploy export import optimize improve compress resize crop research`);

const JOINS = wordSet("then also plus");
const CONTINUES = /^(?:the|my|our|your|their|an?|this|that|these|it|its)$/u;

/** True for plain words that neither join nor turn requests. "Food and drink" is plain; "Food and delete it" is not. */
export function isFree(tokens: readonly Token[]): boolean {
  const words = tokens.map(({ lower }) => lower);
  const isPlain = tokens.every(({ kind }) => kind === "word" || kind === "path");
  if (!isPlain || words.some((word) => TURNING.has(word) || JOINS.has(word) || !/[\p{L}\p{N}]/u.test(word)))
    return false;
  const at = words.lastIndexOf("and");
  const [next] = words.slice(at + 1);
  if (at < 0) return true;
  // "A and B to C" are two requests.
  return (
    at > 0 && next !== undefined && !VERBS.has(next) && !CONTINUES.test(next) && !words.includes("to", at)
  );
}
