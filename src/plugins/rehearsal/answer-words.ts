import { SCRIPT_LINE_PROBLEM } from "../../cairn/models/script/script.ts";

/** The words by which an answer of the rehearsal model shows how much of a message it has understood. */

/** Stands at the end of every answer of its own making: nobody shall take rules for a language model. */
export const REHEARSAL_SIGNATURE =
  "(I am Cairn's rehearsal model: rules, not a language model. Set MODEL to use a real one.)";

export const LEFT_OUT = "I did not understand";
export const CHANGED_NOTHING = "I changed nothing";
export const DID_NOTHING = "I did nothing";
export const HELP_BEGINS = "I look after this website.";
/** the same in a project without a site */
export const OWN_HELP_BEGINS = "I can use the tools of this project.";

const LACKS = [LEFT_OUT, CHANGED_NOTHING, DID_NOTHING, SCRIPT_LINE_PROBLEM];

/**
 * How much of a message an answer has acted on. Only the rehearsal model has words for it: the answer of a language model is
 * taken for understood.
 */
export function understoodBy(answer: string): "all" | "part" | "nothing" {
  const text = answer.trimEnd();
  if (!text.endsWith(REHEARSAL_SIGNATURE)) return "all";
  const lines = text
    .slice(0, -REHEARSAL_SIGNATURE.length)
    .split("\n")
    .filter((line) => line !== "");
  const lacks = lines.filter((line) => LACKS.some((begin) => line.startsWith(begin)));
  if (lacks.length === 0) return "all";
  const help = lines.findIndex((line) => line.startsWith(HELP_BEGINS) || line.startsWith(OWN_HELP_BEGINS));
  const rest = help === -1 ? lines : lines.slice(0, help);
  return rest.every((line) => lacks.includes(line)) ? "nothing" : "part";
}
