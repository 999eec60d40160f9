import type { Outcome } from "../conversation.ts";
import type { Course } from "../course.ts";
import { readTogether } from "../course.ts";
import { textAt } from "../../../cairn/models/script/fields.ts";
import { parseQuestion } from "../research/question.ts";
import type { Desk } from "../site.ts";
import { because } from "../site.ts";
import type { Slots } from "../slots.ts";
import { bulleted, findOut, freeName, listOf, makeDraft, plain, titleOf } from "./research.ts";

/** Several topics, each looked up by an agent of its own where agents can be called, and one page of what they report. */

/** One topic's part of the page. */
interface Part {
  readonly heading: string;
  readonly description: string;
}

export function* writeSideBySide(desk: Desk, { topics = [], names }: Slots): Course<void> {
  const name = yield* freeName(
    desk,
    `${topics.slice(0, -1).map(titleOf).join(", ")} and ${titleOf(topics.at(-1) ?? "")}`,
    names,
  );
  if (name === null) return;
  desk.subject = [];
  const parts = desk.tools.has("run_agent") ? yield* byAgents(desk, topics) : yield* inTurn(desk, topics);
  if (parts.length === 0) return;
  const at = yield* makeDraft(desk, name, parts);
  if (at === null) return;
  const of = parts.length === topics.length ? `all ${topics.length}` : `${parts.length} of ${topics.length}`;
  desk.say("done", `The page "${name}" is made as a draft, with ${of} topics, each with its sources${at}.`);
}

/** Hands each topic to a child, all in one reply: they work side by side. One that finds nothing is named, and left out. */
function* byAgents(desk: Desk, topics: readonly string[]): Course<Part[]> {
  const outcomes = yield* readTogether(
    desk.tools,
    `I will hand the ${topics.length} topics to agents that work side by side.`,
    topics.map((topic) => ({
      name: "run_agent",
      input: { objective: `Research ${topic}, with sources` },
    })),
  );
  return topics.flatMap((topic, at) => {
    const outcome = outcomes[at];
    const told = outcome === undefined ? null : reportOf(outcome);
    if (told !== null && told.lines.length > 0)
      return [{ heading: titleOf(topic), description: bulleted(told.lines.map(plain)) }];
    desk.say("failed", `Nothing was found on "${topic}": ${told?.why ?? "its agent did not report"}.`);
    return [];
  });
}

/** The lines of a child's answer that say something: without its marks, its list of sources and what it says of itself. */
function reportOf(outcome: Outcome): { readonly lines: readonly string[]; readonly why: string } {
  if (!outcome.ok) return { lines: [], why: because(outcome.error) };
  const { value } = outcome;
  const lines = (textAt(value, "answer") ?? "")
    .split("\n")
    .map((line) =>
      line
        .replace(/^- /u, "")
        .replaceAll(/\s?\[e\d+\]/gu, "")
        .trim(),
    )
    .filter((line) => line !== "" && !line.startsWith("("));
  const isAnswered = textAt(value, "outcome") === "answered" && !/^I did not find it\b/u.test(lines[0] ?? "");
  return isAnswered
    ? { lines, why: "" }
    : { lines: [], why: lines[0]?.replace(/\.$/u, "") ?? "its agent said nothing" };
}

/** One topic after another, where no agent can be called. */
function* inTurn(desk: Desk, topics: readonly string[]): Course<Part[]> {
  const parts: Part[] = [];
  for (const topic of topics) {
    const found = yield* findOut(desk, parseQuestion(topic));
    if (found !== null) parts.push({ heading: titleOf(topic), description: listOf(found) });
  }
  return parts;
}
