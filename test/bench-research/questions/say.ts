import { makeCorpus } from "../../../scripts/demo-web/corpus.ts";
import { dayText, figure, MONTHS, type Day } from "../../../scripts/demo-web/facts.ts";
import { textOf } from "../../../scripts/demo-web/page.ts";
import type { Evidence } from "../format.ts";

/** Shared parts of the question makers: the corpus, the phrasings of a value, and the words of a page that state it. */

const corpus = makeCorpus();
export const { facts } = corpus;

/** The thing at that place of the table. Throws where there is none: it is a fault of the questions. */
export function at<T>(all: readonly T[], index: number): T {
  const found = all[index];
  if (found === undefined) throw new Error(`there is no thing ${index} in the table`);
  return found;
}

export const dates = (day: Day): string[] => {
  const month = MONTHS[day.month - 1] ?? "";
  const two = (value: number): string => String(value).padStart(2, "0");
  return [
    dayText(day),
    `${month} ${day.day}`,
    `${day.day}. ${month}`,
    `2026-${two(day.month)}-${two(day.day)}`,
  ];
};
export const metres = (value: number): string[] => [
  `${figure(value)} m`,
  `${figure(value)} metres`,
  `${figure(value)} meters`,
];
export const euros = (value: number): string[] => [
  `${value} euros`,
  `€${value}`,
  `€ ${value}`,
  `${value} €`,
  `EUR ${value}`,
];
export const durations = (text: string): string[] => [
  text,
  text.replace(" h", " hours").replace(" min", " minutes"),
  text.replace(" h ", " hours and ").replace(" min", " minutes"),
];

/** The sentence of a page, or the row of its table, that holds all of these words. */
export function saysOf(url: string, ...words: readonly string[]): Evidence {
  const page = corpus.pages.find((one) => one.url === url);
  const sentences = (page === undefined ? "" : textOf(page))
    .split("\n")
    .flatMap((line) => (line.includes(" | ") ? [line] : line.split(/(?<=\.)\s+(?=\p{Lu})/u)));
  const found = sentences.find((one) => words.every((word) => one.includes(word)));
  if (found === undefined) throw new Error(`${url} does not say ${words.join(" and ")}`);
  return { url, words: found };
}
