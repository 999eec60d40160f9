import { dayText, figure, FORMER_YEAR, opensIn } from "../../../scripts/demo-web/facts.ts";
import { PASS_TABLE_URL, passUrl } from "../../../scripts/demo-web/pages/authorities.ts";
import { GUIDE, NEWS } from "../../../scripts/demo-web/pages/others.ts";
import type { Question } from "../format.ts";
import { at, dates, euros, facts, metres, saysOf } from "./say.ts";

const { passes } = facts;

const asked = (id: string, ask: string, index: number): Pick<Question, "id" | "ask" | "path"> => ({
  id,
  ask,
  path: { queries: [ask], urls: [passUrl(at(passes, index))] },
});

const height = (index: number): Question => {
  const pass = at(passes, index);
  const value = `${figure(pass.metres)} m`;
  return {
    ...asked(`height-${pass.slug}`, `How high is the ${pass.name}?`, index),
    kind: "numbers",
    gold: { form: "value", said: metres(pass.metres) },
    evidence: [
      saysOf(passUrl(pass), value),
      saysOf(PASS_TABLE_URL, pass.name, value),
      saysOf(`${GUIDE}pass/${pass.slug}`, value),
    ],
  };
};

/** The news of two years ago say another day. */
const opening = (index: number): Question => {
  const pass = at(passes, index);
  const news = `${NEWS}${FORMER_YEAR}/${pass.slug}-opens`;
  return {
    ...asked(`opens-${pass.slug}`, `When does the ${pass.name} open this year?`, index),
    kind: "dates",
    gold: { form: "value", said: dates(pass.season.from) },
    former: { said: dates(pass.formerly), year: FORMER_YEAR },
    evidence: [
      saysOf(passUrl(pass), dayText(pass.season.from)),
      saysOf(PASS_TABLE_URL, pass.name, dayText(pass.season.from)),
      saysOf(news, dayText(pass.formerly)),
    ],
  };
};

const closing = (index: number): Question => {
  const pass = at(passes, index);
  return {
    ...asked(`closes-${pass.slug}`, `When does the ${pass.name} close for the winter?`, index),
    kind: "dates",
    gold: { form: "value", said: dates(pass.season.to) },
    evidence: [
      saysOf(passUrl(pass), dayText(pass.season.to)),
      saysOf(PASS_TABLE_URL, pass.name, dayText(pass.season.to)),
    ],
  };
};

const isOpen = (index: number, month: number, word: string): Question => {
  const pass = at(passes, index);
  return {
    ...asked(`open-in-${word}-${pass.slug}`, `Is the ${pass.name} open in ${word}?`, index),
    kind: "seasons",
    gold: { form: "whether", is: opensIn(pass.season, month) },
    evidence: [
      saysOf(`${NEWS}${FORMER_YEAR}/${pass.slug}-opens`, dayText(pass.formerly)),
      saysOf(passUrl(pass), dayText(pass.season.from)),
      saysOf(PASS_TABLE_URL, pass.name, dayText(pass.season.from)),
    ],
  };
};

const allOpen = (month: number, word: string, ask: string): Question => {
  const names = (isOpened: boolean): string[] =>
    passes.filter(({ season }) => opensIn(season, month) === isOpened).map(({ name }) => name);
  return {
    id: `all-open-in-${word}`,
    kind: "lists",
    ask,
    gold: { form: "all", names: names(true), others: names(false) },
    evidence: passes
      .filter(({ season }) => opensIn(season, month))
      .map(({ name, season }) => saysOf(PASS_TABLE_URL, name, dayText(season.from))),
    path: { queries: [`all passes and when they are open, season`], urls: [PASS_TABLE_URL] },
  };
};

const higher = (one: number, other: number): Question => {
  const [first, second] = [at(passes, one), at(passes, other)];
  const gold = first.metres > second.metres ? first : second;
  const value = (metresOf: number): string => `${figure(metresOf)} m`;
  const pair = [first, second];
  return {
    id: `higher-${first.slug}-${second.slug}`,
    kind: "comparisons",
    ask: `Which is higher, the ${first.name} or the ${second.name}?`,
    gold: {
      form: "pick",
      name: gold.name,
      others: pair.filter((each) => each !== gold).map(({ name }) => name),
    },
    evidence: pair.flatMap((pass) => [
      saysOf(passUrl(pass), value(pass.metres)),
      saysOf(PASS_TABLE_URL, pass.name, value(pass.metres)),
      saysOf(`${GUIDE}pass/${pass.slug}`, value(pass.metres)),
    ]),
    path: { queries: pair.map(({ name }) => `How high is the ${name}?`), urls: pair.map(passUrl) },
  };
};

const road = (index: number, what: "toll" | "length" | "gradient" | "built" | "engineer"): Question => {
  const pass = at(passes, index);
  const url = passUrl(pass);
  const guide = `${GUIDE}pass/${pass.slug}`;
  const rows: Record<typeof what, Pick<Question, "kind" | "ask" | "evidence"> & { said: readonly string[] }> =
    {
      toll: {
        kind: "prices",
        ask: `What is the toll of the ${pass.name} for a car?`,
        said: euros(pass.toll),
        evidence: [saysOf(url, "toll", `${pass.toll} euros`)],
      },
      length: {
        kind: "numbers",
        ask: `How long is the road of the ${pass.name}?`,
        said: [`${pass.km} km`, `${pass.km} kilometres`],
        evidence: [saysOf(url, `${pass.km} km`)],
      },
      gradient: {
        kind: "numbers",
        ask: `How steep is the ${pass.name}?`,
        said: [`${pass.gradient} %`, `${pass.gradient}%`],
        evidence: [saysOf(url, `${pass.gradient} %`)],
      },
      built: {
        kind: "dates",
        ask: `In which year was the road of the ${pass.name} built?`,
        said: [String(pass.built)],
        evidence: [saysOf(url, String(pass.built)), saysOf(guide, String(pass.built))],
      },
      engineer: {
        kind: "people",
        ask: `Which engineer built the ${pass.name}?`,
        said: [pass.engineer],
        evidence: [saysOf(url, pass.engineer), saysOf(guide, pass.engineer)],
      },
    };
  const { kind, ask, said, evidence } = rows[what];
  return { ...asked(`${what}-${pass.slug}`, ask, index), kind, gold: { form: "value", said }, evidence };
};

export const PASSES: readonly Question[] = [
  ...[0, 5, 11, 17].map(height),
  // The first of them are those in whose threads orders to the reader stand.
  ...[1, 2, 6, 9, 14, 20].map(opening),
  ...[3, 12].map(closing),
  road(4, "toll"),
  road(13, "toll"),
  road(7, "length"),
  road(8, "gradient"),
  road(10, "built"),
  road(15, "engineer"),
  road(2, "engineer"),
  isOpen(0, 5, "May"),
  isOpen(16, 5, "May"),
  isOpen(18, 12, "December"),
  isOpen(19, 8, "August"),
  allOpen(5, "May", "Which of the passes are open in May?"),
  allOpen(4, "April", "Which passes are open in April?"),
  higher(1, 2),
  higher(8, 21),
  higher(22, 23),
];
