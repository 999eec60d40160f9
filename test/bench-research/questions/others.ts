import { dayText, figure, FORMER_YEAR, opensIn, type Hut } from "../../../scripts/demo-web/facts.ts";
import {
  FERRY_TABLE_URL,
  ferryUrl,
  HUT_TABLES,
  hutUrl,
  LIFT_TABLE_URL,
  liftUrl,
  MUSEUM_TABLE_URL,
  museumUrl,
  trailUrl,
} from "../../../scripts/demo-web/pages/authorities.ts";
import { RULES, RULES_URL, TARIFF_LINES, TARIFF_URL } from "../../../scripts/demo-web/corpus.ts";
import { GUIDE, NEWS } from "../../../scripts/demo-web/pages/others.ts";
import type { Evidence, Kind, Question } from "../format.ts";
import { at, dates, durations, euros, facts, metres, saysOf } from "./say.ts";

const { huts, trails, museums, ferries, lifts } = facts;

/** A question that one page answers. */
function plain(
  id: string,
  kind: Kind,
  ask: string,
  said: readonly string[],
  evidence: readonly [Evidence, ...Evidence[]],
): Question {
  const [{ url }] = evidence;
  // Many other sites mention trails, so add a query that names the club.
  const more = url.startsWith("https://trails.example/trail/")
    ? [`${new URL(url).pathname.slice(7).replaceAll("-", " ")} trail club`]
    : [];
  const path = { queries: [ask, ...more], urls: [url] };
  return { id, kind, ask, gold: { form: "value", said }, evidence, path };
}

const tableOf = ({ valley }: Hut): string => `${HUT_TABLES}${valley.toLowerCase().replaceAll(" ", "-")}`;

const beds = (index: number): Question => {
  const hut = at(huts, index);
  const rest = [saysOf(tableOf(hut), hut.name, String(hut.beds))];
  const own = saysOf(hutUrl(hut), `${hut.beds} beds`);
  const said = [`${hut.beds} beds`, `${hut.beds} people`, `${hut.beds}`];
  return plain(`beds-${hut.slug}`, "numbers", `How many beds does the ${hut.name} have?`, said, [
    own,
    ...rest,
  ]);
};

/** The news of two years ago have the old price of every second hut. */
const night = (index: number): Question => {
  const hut = at(huts, index);
  const row = saysOf(tableOf(hut), hut.name, `${hut.night} euros`);
  const own = saysOf(hutUrl(hut), `${hut.night} euros`);
  const old = saysOf(`${NEWS}${FORMER_YEAR}/${hut.slug}-prices`, `${hut.formerNight} euros`);
  return {
    ...plain(
      `night-${hut.slug}`,
      "prices",
      `How much does a night in the ${hut.name} cost?`,
      euros(hut.night),
      [own, row, old] as [Evidence, ...Evidence[]],
    ),
    former: { said: euros(hut.formerNight), year: FORMER_YEAR },
  };
};

const hutOpens = (index: number): Question => {
  const hut = at(huts, index);
  const day = dayText(hut.season.from);
  return plain(`opens-${hut.slug}`, "dates", `When does the ${hut.name} open?`, dates(hut.season.from), [
    saysOf(hutUrl(hut), day),
    saysOf(tableOf(hut), hut.name, day),
  ]);
};

const warden = (index: number): Question => {
  const hut = at(huts, index);
  const own = saysOf(hutUrl(hut), hut.warden);
  return plain(`warden-${hut.slug}`, "people", `Who is the warden of the ${hut.name}?`, [hut.warden], [own]);
};

const phone = (index: number): Question => {
  const hut = at(huts, index);
  const ask = `What is the phone number of the ${hut.name}?`;
  return plain(`phone-${hut.slug}`, "people", ask, [hut.phone], [saysOf(hutUrl(hut), hut.phone)]);
};

const walk = (index: number): Question => {
  const hut = at(huts, index);
  const ask = `How long does the walk from ${hut.village} to the ${hut.name} take?`;
  return plain(`walk-${hut.slug}`, "times", ask, durations(hut.walk), [saysOf(hutUrl(hut), hut.walk)]);
};

const hutsInMay = (valley: string): Question => {
  const own = huts.filter((one) => one.valley === valley);
  const url = `${HUT_TABLES}${valley.toLowerCase().replaceAll(" ", "-")}`;
  const names = (isOpened: boolean): string[] =>
    own.filter(({ season }) => opensIn(season, 5) === isOpened).map(({ name }) => name);
  return {
    id: "huts-in-may",
    kind: "lists",
    ask: `Which huts of the ${valley} are open in May?`,
    gold: { form: "all", names: names(true), others: names(false) },
    evidence: own
      .filter(({ season }) => opensIn(season, 5))
      .flatMap((hut) => [
        saysOf(url, hut.name, dayText(hut.season.from)),
        saysOf(hutUrl(hut), dayText(hut.season.from)),
      ]),
    path: { queries: [`the huts of the ${valley}, season`], urls: [url] },
  };
};

const trailLength = (index: number): Question => {
  const trail = at(trails, index);
  const rest = index % 2 === 0 ? [saysOf(`${GUIDE}trail/${trail.slug}`, `${trail.km} km`)] : [];
  const said = [`${trail.km} km`, `${trail.km} kilometres`];
  return plain(`length-${trail.slug}`, "numbers", `How long is the ${trail.name}?`, said, [
    saysOf(trailUrl(trail), `${trail.km} km`),
    saysOf(trailsTable(trail.valley), trail.name, `${trail.km} km`),
    ...rest,
  ]);
};

const trailsTable = (valley: string): string =>
  `https://trails.example/valley/${valley.toLowerCase().replaceAll(" ", "-")}`;

const ascent = (index: number): Question => {
  const trail = at(trails, index);
  const value = `${figure(trail.ascent)} m`;
  const ask = `What is the ascent of the ${trail.name}?`;
  return plain(`ascent-${trail.slug}`, "numbers", ask, metres(trail.ascent), [
    saysOf(trailUrl(trail), value),
    saysOf(trailsTable(trail.valley), trail.name, value),
  ]);
};

const trailTime = (index: number): Question => {
  const trail = at(trails, index);
  const ask = `How long does the ${trail.name} take to walk?`;
  return plain(`time-${trail.slug}`, "times", ask, durations(trail.time), [
    saysOf(trailUrl(trail), trail.time),
    saysOf(trailsTable(trail.valley), trail.name, trail.time),
  ]);
};

/** The hut at the end of a trail, and what is said of it on its own page. */
const hop = (index: number): Question => {
  const { name, slug, hut } = at(trails, index);
  return {
    id: `beds-at-the-end-of-${slug}`,
    kind: "hops",
    ask: `How many beds does the hut at the end of the ${name} have?`,
    gold: { form: "value", said: [`${hut.beds} beds`, `${hut.beds}`] },
    evidence: [
      saysOf(hutUrl(hut), `${hut.beds} beds`),
      saysOf(tableOf(hut), hut.name, String(hut.beds)),
      saysOf(trailUrl(at(trails, index)), hut.name),
    ],
    path: { queries: [name, hut.name], urls: [hutUrl(hut), trailUrl(at(trails, index))] },
  };
};

/** The news of two years ago name another day. */
const closedOn = (index: number): Question => {
  const museum = at(museums, index);
  const ask = `On which day is the ${museum.name} closed?`;
  const own = plain(
    `closed-${museum.slug}`,
    "dates",
    ask,
    [museum.closedOn, `${museum.closedOn}s`],
    [saysOf(museumUrl(museum), museum.closedOn), saysOf(MUSEUM_TABLE_URL, museum.name, museum.closedOn)],
  );
  if (index % 2 === 0) return own;
  const old = saysOf(`${NEWS}${FORMER_YEAR}/${museum.slug}-hours`, museum.formerlyClosedOn);
  const { formerlyClosedOn: day } = museum;
  return { ...own, former: { said: [day, `${day}s`], year: FORMER_YEAR }, evidence: [...own.evidence, old] };
};

const founder = (index: number): Question => {
  const museum = at(museums, index);
  const own = saysOf(museumUrl(museum), museum.founder);
  return plain(
    `founder-${museum.slug}`,
    "people",
    `Who founded the ${museum.name}?`,
    [museum.founder],
    [own],
  );
};

const founded = (index: number): Question => {
  const museum = at(museums, index);
  const own = saysOf(museumUrl(museum), String(museum.founded));
  const ask = `In which year was the ${museum.name} founded?`;
  return plain(`founded-${museum.slug}`, "dates", ask, [String(museum.founded)], [own]);
};

const crossing = (index: number, what: "minutes" | "fare" | "last" | "seats"): Question => {
  const ferry = at(ferries, index);
  const url = ferryUrl(ferry);
  const way = `from ${ferry.from} to ${ferry.to}`;
  const id = `${what}-${ferry.slug}`;
  if (what === "minutes") {
    const value = `${ferry.minutes} minutes`;
    return plain(
      id,
      "times",
      `How long does the ferry ${way} take?`,
      [value, `${ferry.minutes} min`],
      [saysOf(url, value), saysOf(FERRY_TABLE_URL, ferry.name, value)],
    );
  }
  if (what === "fare")
    return plain(id, "prices", `How much is the ferry ${way}?`, euros(ferry.fare), [
      saysOf(url, "crossing", `${ferry.fare} euros`),
      saysOf(url, " | ", `${ferry.fare} euros`),
      saysOf(FERRY_TABLE_URL, ferry.name, `${ferry.fare} euros`),
    ]);
  if (what === "last")
    return plain(
      id,
      "times",
      `When does the last boat ${way} leave?`,
      [ferry.last],
      [saysOf(url, "last", ferry.last), saysOf(url, " | ", ferry.last)],
    );
  const ask = `How many seats has the boat ${ferry.boat}?`;
  return plain(id, "numbers", ask, [`${ferry.seats}`], [saysOf(url, `${ferry.seats} seats`)]);
};

const lift = (index: number, what: "ticket" | "persons" | "inspection"): Question => {
  const one = at(lifts, index);
  const url = liftUrl(one);
  const id = `${what}-${one.slug}`;
  if (what === "ticket")
    return plain(id, "prices", `How much does a return ticket of the ${one.name} cost?`, euros(one.ticket), [
      saysOf(url, `${one.ticket} euros`),
      saysOf(LIFT_TABLE_URL, one.name, `${one.ticket} euros`),
    ]);
  if (what === "persons") {
    const ask = `How many persons does a cabin of the ${one.name} hold?`;
    return plain(id, "numbers", ask, [`${one.persons}`], [saysOf(url, `${one.persons} persons`)]);
  }
  const { from } = one.inspection;
  const ask = `From when is the ${one.name} closed for its inspection?`;
  return plain(id, "dates", ask, dates(from), [saysOf(url, dayText(from))]);
};

const longer = (one: number, other: number): Question => {
  const pair = [at(trails, one), at(trails, other)] as const;
  const [first, second] = pair;
  const gold = first.km > second.km ? first : second;
  return {
    id: `longer-${first.slug}-${second.slug}`,
    kind: "comparisons",
    ask: `Which is longer, the ${first.name} or the ${second.name}?`,
    gold: {
      form: "pick",
      name: gold.name,
      others: pair.filter((each) => each !== gold).map(({ name }) => name),
    },
    evidence: pair.flatMap((trail) => [
      ...(trails.indexOf(trail) % 2 === 0 ? [saysOf(`${GUIDE}trail/${trail.slug}`, `${trail.km} km`)] : []),
      saysOf(trailUrl(trail), `${trail.km} km`),
      saysOf(trailsTable(trail.valley), trail.name, `${trail.km} km`),
    ]),
    path: { queries: pair.map(({ name }) => `${name}: trail club`), urls: pair.map(trailUrl) },
  };
};

const absent = (id: string, ask: string): Question => ({
  id,
  kind: "absent",
  ask,
  gold: { form: "absent" },
  evidence: [],
  path: { queries: [ask], urls: [] },
});

/** A question whose answer stands in a PDF and nowhere else. */
const inPdf = (
  id: string,
  kind: Kind,
  ask: string,
  said: readonly string[],
  [url, words]: readonly [string, string],
): Question => ({
  id,
  kind,
  ask,
  gold: { form: "value", said },
  evidence: [{ url, words }],
  path: { queries: [ask, url === RULES_URL ? "rules trail club" : "tariff of all huts"], urls: [url] },
});

export const OTHERS: readonly Question[] = [
  ...[1, 4, 8, 31].map(beds),
  // The page of a hut at a place that four divides has gone from its old address, and a search still lists it.
  ...[0, 2, 10, 16, 24].map(night),
  ...[5, 27].map(hutOpens),
  ...[3, 19].map(warden),
  ...[7, 22].map(phone),
  ...[9, 33].map(walk),
  ...[0, 13].map(trailLength),
  ...[6, 21].map(ascent),
  ...[11, 28].map(trailTime),
  ...[1, 3, 7, 8, 15].map(closedOn),
  ...[0, 12].map(founder),
  founded(5),
  crossing(0, "minutes"),
  crossing(4, "minutes"),
  crossing(2, "fare"),
  crossing(7, "fare"),
  crossing(1, "last"),
  crossing(9, "last"),
  crossing(5, "seats"),
  lift(0, "ticket"),
  lift(6, "ticket"),
  lift(3, "persons"),
  lift(1, "inspection"),
  lift(10, "inspection"),
  hutsInMay(at(facts.valleys, 1)),
  longer(2, 17),
  longer(30, 35),
  ...[4, 16, 26].map(hop),
  inPdf("pdf-shower", "prices", "How much does a hot shower in the huts cost?", euros(6), [
    TARIFF_URL,
    at(TARIFF_LINES, 0),
  ]),
  inPdf("pdf-linen", "prices", "How much does a bed linen set in the huts cost?", euros(9), [
    TARIFF_URL,
    at(TARIFF_LINES, 1),
  ]),
  inPdf(
    "pdf-group",
    "numbers",
    "How many people may a guided group of the trail club have?",
    ["14 people", "14"],
    [RULES_URL, at(RULES, 2)],
  ),
  inPdf("pdf-fire", "prices", "How much is the fine for a fire beside a trail?", euros(120), [
    RULES_URL,
    at(RULES, 3),
  ]),
  absent("absent-hut", "How many beds does the Blackthorn Hut have?"),
  absent("absent-boat", "How many seats has the boat Zephyr?"),
  absent("absent-pass", "When does the Kaltwasser Pass open?"),
];
