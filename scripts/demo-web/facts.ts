import { createChance, type Chance } from "./chance.ts";

/**
 * The facts behind the corpus: an invented region, drawn from a seed. Pages are written from this table alone, and so are the
 * questions of the benchmark, so that the answer to each is known.
 */

/** The year that the pages of the authorities speak of; what is older is of `FORMER_YEAR`. */
export const YEAR = 2026;
export const FORMER_YEAR = 2024;

/** A day of a year, such as `3 May`. */
export interface Day {
  readonly day: number;
  /** from 1 */
  readonly month: number;
}

export interface Season {
  readonly from: Day;
  readonly to: Day;
}

interface Thing {
  readonly name: string;
  readonly slug: string;
  readonly valley: string;
}

export interface Pass extends Thing {
  readonly metres: number;
  readonly season: Season;
  /** when it opened in FORMER_YEAR */
  readonly formerly: Day;
  readonly km: number;
  readonly gradient: number;
  readonly built: number;
  readonly engineer: string;
  /** of a car, in euros */
  readonly toll: number;
}

export interface Hut extends Thing {
  readonly metres: number;
  readonly beds: number;
  readonly season: Season;
  /** euros for a bed, now and in FORMER_YEAR */
  readonly night: number;
  readonly formerNight: number;
  readonly warden: string;
  readonly phone: string;
  readonly built: number;
  readonly village: string;
  readonly walk: string;
}

export interface Trail extends Thing {
  readonly km: number;
  readonly ascent: number;
  readonly time: string;
  readonly start: string;
  /** where it ends */
  readonly hut: Hut;
  readonly colour: string;
  readonly grade: string;
}

export interface Museum extends Thing {
  readonly village: string;
  readonly closedOn: string;
  /** the day on which it was closed in FORMER_YEAR */
  readonly formerlyClosedOn: string;
  readonly opensAt: string;
  readonly closesAt: string;
  readonly ticket: number;
  readonly founded: number;
  readonly founder: string;
}

export interface Ferry extends Thing {
  readonly lake: string;
  readonly from: string;
  readonly to: string;
  readonly minutes: number;
  readonly fare: number;
  readonly first: string;
  readonly last: string;
  readonly boat: string;
  readonly seats: number;
}

export interface Lift extends Thing {
  readonly village: string;
  readonly metres: number;
  readonly minutes: number;
  readonly ticket: number;
  readonly persons: number;
  readonly built: number;
  /** when it is closed for its inspection */
  readonly inspection: Season;
}

export interface Facts {
  readonly valleys: readonly string[];
  readonly passes: readonly Pass[];
  readonly huts: readonly Hut[];
  readonly trails: readonly Trail[];
  readonly museums: readonly Museum[];
  readonly ferries: readonly Ferry[];
  readonly lifts: readonly Lift[];
}

const words = (text: string): [string, ...string[]] => {
  const [first = "", ...more] = text.trim().split(/\s+/u);
  return [first, ...more];
};

const VALLEYS = words("Sarn Lorna Mirra Tresen Olmen Verna");
const VILLAGES = words(`
  Aldern Brunnau Castrisch Durnach Ellmatt Fresen Golzern Hinterau Islach Kerns Lintal Morissen Nussbach Obersaxen Platta
  Rieden Selva Tschappina Unterau Wiesen`);
const PASSES = words(`
  Arvenna Belwald Corvenna Dornegg Eisfluh Farnegg Grauhorn Hirsegg Iltengrat Karlun Lauterjoch Morgenegg Nebeltor
  Ochsenjoch Pradessa Quertenna Rotfluh Sarnina Tannegg Ulmetta Valdora Windegg Zirbenjoch Zwingfluh`);
const LIFTS = words(`
  Blauspitz Gamsgrat Hohwand Kammegg Kreuzkopf Luchsberg Mittelkamm Nadelhorn Rauhspitz Sattelberg Steilfluh Sonnkopf
  Tellerberg Wetterhorn Widderstein Zinnenkopf`);
const FIRST_NAMES = words(
  "Anna Beat Carla Dario Elin Flurin Greta Hans Irma Jon Lea Marco Nora Otto Pia Reto Silvia Urs",
);
const LAST_NAMES = words(`
  Aebli Brunner Caflisch Denz Egger Fetz Gantner Hosang Jenal Kuoni Lareida Meuli Nay Parpan Riedi Salis Tuor Walser Zindel`);
const DAYS = words("Monday Tuesday Wednesday Thursday Friday");

const slugOf = (name: string): string => name.toLowerCase().replaceAll(" ", "-");
const person = (chance: Chance): string => `${chance.pick(FIRST_NAMES)} ${chance.pick(LAST_NAMES)}`;
const clock = (hour: number, minute: number): string =>
  `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
const duration = (minutes: number): string =>
  [minutes < 60 ? "" : `${Math.floor(minutes / 60)} h`, minutes % 60 === 0 ? "" : `${minutes % 60} min`]
    .filter((part) => part !== "")
    .join(" ");

/** Every name once: the two lists with each other. */
const crossed = (first: readonly string[], second: readonly string[], between: string): string[] =>
  first.flatMap((one) => second.map((other) => `${one}${between}${other}`));

/** The table. The same seed gives the same table. */
export function makeFacts(seed = 2_026): Facts {
  const chance = createChance(seed);
  const thing = (name: string): Thing => ({
    name,
    slug: slugOf(name),
    valley: `${chance.pick(VALLEYS)} Valley`,
  });
  const passes = PASSES.map((name): Pass => {
    const month = chance.between(4, 6);
    const from = { day: chance.between(month === 4 ? 20 : 2, 28), month };
    return {
      ...thing(`${name} Pass`),
      metres: chance.between(1_420, 2_790),
      season: { from, to: { day: chance.between(3, 30), month: chance.between(10, 11) } },
      // Never in the month of this year, so that the two can be distinguished.
      formerly: { day: chance.between(3, 29), month: month === 5 ? 6 : 5 },
      km: chance.between(11, 46),
      gradient: chance.between(7, 16),
      built: chance.between(1_821, 1_935),
      engineer: person(chance),
      toll: chance.between(4, 19),
    };
  });
  const huts = crossed(
    words("Enzian Firn Gams Lerchen Murmel Quell Sonnen Stein"),
    words("alp boden egg kar matt"),
    "",
  ).map((name): Hut => {
    const night = chance.between(38, 79);
    return {
      ...thing(`${name} Hut`),
      metres: chance.between(1_610, 2_960),
      beds: chance.between(18, 96),
      season: {
        from: { day: chance.between(2, 28), month: chance.between(5, 6) },
        to: { day: chance.between(2, 28), month: chance.between(9, 10) },
      },
      night,
      formerNight: night - chance.between(3, 9),
      warden: person(chance),
      phone: `+41 81 ${chance.between(210, 989)} ${chance.between(10, 99)} ${chance.between(10, 99)}`,
      built: chance.between(1_868, 1_984),
      village: chance.pick(VILLAGES),
      walk: duration(5 * chance.between(13, 50)),
    };
  });
  const ends = chance.shuffled(huts);
  const trails = crossed(
    words("Bear Chapel Glacier Larch Miller Otter Ridge Smuggler"),
    words("Path Round Traverse Trail Way"),
    " ",
  ).map((name, at): Trail => {
    const hut = ends[at % ends.length];
    if (hut === undefined) throw new Error("there are no huts");
    return {
      ...thing(name),
      km: chance.between(6, 31),
      ascent: 10 * chance.between(21, 184),
      time: duration(5 * chance.between(25, 118)),
      start: chance.pick(VILLAGES),
      hut,
      colour: chance.pick(["white and red", "yellow", "white and blue", "brown"]),
      grade: chance.pick(["T1", "T2", "T3", "T4"]),
    };
  });
  const museums = words(
    "Bells Bees Cableways Cheese Clocks Crystals Dialects Feathers Glass Hay Ibex Lace Mills Postcards Salt Skis Sledges Snow Timber Wool",
  ).map((what): Museum => {
    const [closedOn = "Monday", formerlyClosedOn = "Tuesday"] = chance.shuffled(DAYS);
    return {
      ...thing(`Museum of ${what}`),
      village: chance.pick(VILLAGES),
      closedOn,
      formerlyClosedOn,
      opensAt: clock(chance.between(9, 11), chance.pick([0, 15, 30])),
      closesAt: clock(chance.between(16, 18), chance.pick([0, 15, 30, 45])),
      ticket: chance.between(5, 17),
      founded: chance.between(1_889, 1_996),
      founder: person(chance),
    };
  });
  const boats = chance.shuffled(
    words("Aurora Bise Columba Dohle Elster Forelle Gloria Helvetia Iris Juno Krone Libelle"),
  );
  const shores = chance.shuffled(VILLAGES);
  const ferries = ["Arlen", "Boren", "Cavel", "Doren"].flatMap((lake) => {
    const [one = "", two = "", three = ""] = shores.splice(0, 3);
    const legs = [
      [one, two],
      [two, three],
      [three, one],
    ] as const;
    return legs.map(([from, to]): Ferry => ({
      ...thing(`${from}–${to}`),
      slug: slugOf(`${from} ${to}`),
      lake: `Lake ${lake}`,
      from,
      to,
      minutes: chance.between(12, 55),
      fare: chance.between(4, 16),
      first: clock(chance.between(6, 8), chance.between(0, 59)),
      last: clock(chance.between(18, 21), chance.between(0, 59)),
      boat: boats.pop() ?? "Zora",
      seats: chance.between(60, 320),
    }));
  });
  const lifts = LIFTS.map((name): Lift => {
    const month = chance.between(4, 5);
    return {
      ...thing(`${name} Cable Car`),
      village: chance.pick(VILLAGES),
      metres: chance.between(1_710, 3_080),
      minutes: chance.between(5, 19),
      ticket: chance.between(21, 68),
      persons: chance.between(12, 90),
      built: chance.between(1_931, 2_014),
      inspection: {
        from: { day: chance.between(2, 14), month },
        to: { day: chance.between(15, 28), month },
      },
    };
  });
  return { valleys: VALLEYS.map((name) => `${name} Valley`), passes, huts, trails, museums, ferries, lifts };
}

export const MONTHS = words(
  "January February March April May June July August September October November December",
);

export const dayText = ({ day, month }: Day): string => `${day} ${MONTHS[month - 1] ?? ""}`;
export const seasonText = ({ from, to }: Season, year = YEAR): string =>
  `${dayText(from)} to ${dayText(to)} ${year}`;

/** True if any day of the month lies in the season. */
export const opensIn = ({ from, to }: Season, month: number): boolean =>
  from.month <= month && month <= to.month;

/** `2,104`: the number format of the pages. */
export const figure = (value: number): string => value.toLocaleString("en-US");
