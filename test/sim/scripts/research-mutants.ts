import type { Mutant } from "../mutants.ts";

/** Known faults of what names, keeps, pays for and cites what was read outside. */

const NAMES = "src/cairn/session/engine/sources.ts";
const NAMING = "src/cairn/core/entries/sources.ts";
const INDEX = "src/cairn/session/storage/sources.ts";
const LOST = "src/cairn/session/engine/lost-attempts.ts";
const OUTCOMES = "src/cairn/session/engine/record-outcome.ts";
const CITATIONS = "src/cairn/core/guards/review/citations.ts";

const NAMED_ONCE = "pages and evidence are named once, in the order of the log, and a text has one name";
const WHOLE = "a page that has a name is kept whole, and says its quotes at their places";
const CHARGED = "a search is charged once with what it cost, or with all that was set aside for it";

const SEARCHED = "a question that is searched for";
const REFUSED = "a search that is refused at first";

export const RESEARCH_MUTANTS: readonly Mutant[] = [
  {
    name: "evidence is counted anew with each call",
    edits: [
      [NAMING, "evidenceName(known.evidence + evidence.length + 1)", "evidenceName(evidence.length + 1)"],
    ],
    caught: NAMED_ONCE,
    script: SEARCHED,
  },
  {
    name: "a text that is read twice gets two names",
    edits: [[NAMING, "?? pages.find((one) => one.digest === digest)?.page", ""]],
    caught: NAMED_ONCE,
    script: REFUSED,
  },
  {
    name: "the text of a page is kept after its name is written",
    edits: [
      [
        NAMES,
        "store.saveBlob(page, redact(whole));",
        "void Promise.resolve().then(() => store.saveBlob(page, redact(whole))).catch(() => {});",
      ],
    ],
    caught: WHOLE,
    script: SEARCHED,
  },
  {
    name: "the index has another place of a quote than the log",
    edits: [
      [
        INDEX,
        "page,\n        start,\n        end,\n        quote,",
        "page,\n        start,\n        start,\n        quote,",
      ],
    ],
    caught: "the index of pages and evidence says what the log says",
    script: SEARCHED,
  },
  {
    name: "a search whose attempt died costs nothing",
    edits: [[LOST, "call.costMax === undefined ? {} : { cost: call.costMax }", "{}"]],
    caught: CHARGED,
    script: SEARCHED,
  },
  {
    name: "a search that was refused is charged with all that was set aside",
    edits: [
      [
        OUTCOMES,
        "{ costMax }: Call, { cost = costMax }: ToolOutcome",
        "{ costMax: cost }: Call, _: ToolOutcome",
      ],
    ],
    caught: CHARGED,
    script: REFUSED,
  },
  {
    name: "a mark of nothing stays in the answer",
    edits: [[CITATIONS, "bad.length === 0 ? answer : withoutMarks(answer, good)", "answer"]],
    caught: "an answer that is checked cites what was read before it, and nothing else",
    script: REFUSED,
  },
  {
    name: "what a search has shown is forgotten",
    edits: [[INDEX, "if (urls.length === 0) return;", "if (urls.length > 0) return;"]],
    caught: "an address that a search has shown is known",
    script: SEARCHED,
  },
];
