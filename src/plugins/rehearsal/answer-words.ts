import { SCRIPT_LINE_PROBLEM } from "../../cairn/models/script/script.ts";

/** Fixed texts of answers, from which the terminal computes how much of a message was understood. */

/** Ends every answer that is not dictated by a script: nobody shall take rules for a language model. */
export const REHEARSAL_SIGNATURE =
  "(I am Cairn's rehearsal model: rules, not a language model. Set MODEL to use a real one.)";

export const NOT_UNDERSTOOD = "I did not understand";
export const CHANGED_NOTHING = "I changed nothing";
export const DID_NOTHING = "I did nothing";
export const HELP_BEGINS = "I look after this website.";
/** the same in a project without a site */
export const OWN_HELP_BEGINS = "I can use the tools of this project.";

const PROBLEMS = [NOT_UNDERSTOOD, CHANGED_NOTHING, DID_NOTHING, SCRIPT_LINE_PROBLEM];

/** How much of a message was understood, by its answer. Answers of language models always count as `all`. */
export function understoodBy(answer: string): "all" | "part" | "nothing" {
  const text = answer.trimEnd();
  if (!text.endsWith(REHEARSAL_SIGNATURE)) return "all";
  const lines = text
    .slice(0, -REHEARSAL_SIGNATURE.length)
    .split("\n")
    .filter((line) => line !== "");
  const problems = lines.filter((line) => PROBLEMS.some((begin) => line.startsWith(begin)));
  if (problems.length === 0) return "all";
  const help = lines.findIndex((line) => line.startsWith(HELP_BEGINS) || line.startsWith(OWN_HELP_BEGINS));
  const rest = help === -1 ? lines : lines.slice(0, help);
  return rest.every((line) => problems.includes(line)) ? "nothing" : "part";
}
