import {
  dayText,
  figure,
  opensIn,
  seasonText,
  YEAR,
  type Facts,
  type Ferry,
  type Hut,
  type Lift,
  type Museum,
  type Pass,
  type Trail,
} from "../facts.ts";
import type { Page } from "../page.ts";

/** Pages of the authorities: the road office, the huts, the trail club, the museums, the boats, the cable cars. */

export const passUrl = ({ slug }: Pass): string => `https://passes.example/pass/${slug}`;
export const hutUrl = ({ slug }: Hut): string => `https://huts.example/hut/${slug}`;
export const trailUrl = ({ slug }: Trail): string => `https://trails.example/trail/${slug}`;
export const museumUrl = ({ slug }: Museum): string => `https://museums.example/${slug}`;
export const ferryUrl = ({ slug }: Ferry): string => `https://ferries.example/line/${slug}`;
export const liftUrl = ({ slug }: Lift): string => `https://cablecars.example/${slug}`;

export const PASS_TABLE_URL = `https://passes.example/season-${YEAR}`;
export const HUT_TABLES = "https://huts.example/valley/";
export const FERRY_TABLE_URL = "https://ferries.example/fares";
export const LIFT_TABLE_URL = "https://cablecars.example/prices";
export const MUSEUM_TABLE_URL = "https://museums.example/";
const TRAIL_TABLES = "https://trails.example/valley/";

/** One of several wordings, another for the next thing in the list. */
const worded = (at: number, ...ways: readonly string[]): string => ways[at % ways.length] ?? "";

const pass = (one: Pass, at: number): Page => ({
  url: passUrl(one),
  title: `${one.name}: road office`,
  date: `${YEAR}-04-${String(2 + (at % 20)).padStart(2, "0")}`,
  blocks: [
    worded(
      at,
      `The ${one.name} crosses the ridge at ${figure(one.metres)} m above the sea and leads into the ${one.valley}.`,
      `At its top the ${one.name} is ${figure(one.metres)} m high. It leads into the ${one.valley}.`,
      `The road of the ${one.name} climbs to ${figure(one.metres)} m before it goes down into the ${one.valley}.`,
    ),
    { heading: `Season ${YEAR}` },
    worded(
      at,
      `The ${one.name} is open to all traffic from ${seasonText(one.season)}.`,
      `In ${YEAR} the ${one.name} opens on ${dayText(one.season.from)} and closes on ${dayText(one.season.to)}.`,
      `The ${one.name} is open from ${seasonText(one.season)}, if the snow allows it.`,
    ),
    "In winter the road stays under snow, and no service is kept.",
    { heading: "The road" },
    worded(
      at,
      `The road is ${one.km} km long, and its steepest part has a gradient of ${one.gradient} %.`,
      `From foot to foot it is ${one.km} km of road; the gradient is ${one.gradient} % at most.`,
    ),
    worded(
      at,
      `A car pays a toll of ${one.toll} euros, a motorcycle half of it.`,
      `The toll is ${one.toll} euros for a car.`,
    ),
    `It was built in ${one.built} under the engineer ${one.engineer}.`,
    { links: [{ text: `All passes and their season ${YEAR}`, url: PASS_TABLE_URL }] },
  ],
});

const hut = (one: Hut, at: number): Page => ({
  url: hutUrl(one),
  title: `${one.name} (${one.valley})`,
  date: `${YEAR}-03-${String(3 + (at % 25)).padStart(2, "0")}`,
  blocks: [
    worded(
      at,
      `The ${one.name} stands at ${figure(one.metres)} m in the ${one.valley} and has ${one.beds} beds.`,
      `With ${one.beds} beds the ${one.name} is the house of the upper ${one.valley}. It stands at ${figure(one.metres)} m.`,
    ),
    worded(
      at,
      `The ${one.name} is open from ${seasonText(one.season)}.`,
      `In ${YEAR} the ${one.name} opens on ${dayText(one.season.from)} and closes on ${dayText(one.season.to)}.`,
    ),
    { heading: "Prices and booking" },
    worded(
      at,
      `A night in the ${one.name} costs ${one.night} euros with breakfast; children pay half.`,
      `The price of a bed with breakfast is ${one.night} euros a night. Children pay half.`,
    ),
    worded(
      at,
      `The warden is ${one.warden}. Beds are booked by phone: ${one.phone}.`,
      `${one.warden} is the warden and takes bookings at ${one.phone}.`,
    ),
    { heading: "The way there" },
    `From ${one.village} it is a walk of ${one.walk} to the ${one.name}.`,
    `The house was built in ${one.built} and has been made larger twice since.`,
  ],
});

const trail = (one: Trail, at: number): Page => ({
  url: trailUrl(one),
  title: `${one.name}: trail club`,
  date: `${YEAR}-02-${String(1 + (at % 27)).padStart(2, "0")}`,
  blocks: [
    worded(
      at,
      `The ${one.name} is ${one.km} km long and leads from ${one.start} to the ${one.hut.name}.`,
      `From ${one.start} the ${one.name} runs ${one.km} km to the ${one.hut.name}.`,
    ),
    worded(
      at,
      `It climbs ${figure(one.ascent)} m in all, and takes ${one.time} without rests.`,
      `The ascent is ${figure(one.ascent)} m. The walking time is ${one.time}.`,
    ),
    `Its marks are ${one.colour}, and its grade is ${one.grade}.`,
    "Take water with you: there is none on the upper part.",
    { links: [{ text: one.hut.name, url: hutUrl(one.hut) }] },
  ],
});

const museum = (one: Museum, at: number): Page => ({
  url: museumUrl(one),
  title: one.name,
  date: `${YEAR}-01-${String(4 + (at % 20)).padStart(2, "0")}`,
  blocks: [
    `The ${one.name} is in ${one.village}, in the ${one.valley}.`,
    worded(
      at,
      `It is open from ${one.opensAt} to ${one.closesAt}, and closed on ${one.closedOn}s.`,
      `The museum opens at ${one.opensAt} and closes at ${one.closesAt}. On ${one.closedOn} it is closed.`,
    ),
    worded(at, `A ticket costs ${one.ticket} euros.`, `Entry is ${one.ticket} euros for grown-ups.`),
    worded(
      at,
      `It was founded in ${one.founded} by ${one.founder}.`,
      `${one.founder} founded the ${one.name} in ${one.founded}.`,
    ),
    "The collection is shown on two floors, and there is a lift for wheelchairs.",
  ],
});

const ferry = (one: Ferry, at: number): Page => ({
  url: ferryUrl(one),
  title: `Ferry ${one.from}–${one.to}, ${one.lake}`,
  date: `${YEAR}-03-${String(1 + at).padStart(2, "0")}`,
  blocks: [
    `The ferry from ${one.from} to ${one.to} crosses ${one.lake} in ${one.minutes} minutes.`,
    {
      table: [
        ["From", "To", "First boat", "Last boat", "Fare"],
        [one.from, one.to, one.first, one.last, `${one.fare} euros`],
      ],
    },
    worded(
      at,
      `The last boat from ${one.from} to ${one.to} leaves at ${one.last}, the first one at ${one.first}.`,
      `Boats leave ${one.from} for ${one.to} between ${one.first} (the first) and ${one.last} (the last).`,
    ),
    `The crossing from ${one.from} to ${one.to} costs ${one.fare} euros; a bicycle travels for nothing.`,
    `The boat ${one.boat} has ${one.seats} seats.`,
  ],
});

const lift = (one: Lift, at: number): Page => ({
  url: liftUrl(one),
  title: one.name,
  date: `${YEAR}-02-${String(2 + at).padStart(2, "0")}`,
  blocks: [
    `The ${one.name} goes from ${one.village} to ${figure(one.metres)} m in ${one.minutes} minutes.`,
    worded(
      at,
      `A return ticket costs ${one.ticket} euros.`,
      `Up and down again is ${one.ticket} euros for grown-ups.`,
    ),
    `Each cabin holds ${one.persons} persons. It was built in ${one.built}.`,
    `In ${YEAR} the ${one.name} is closed for its inspection from ${seasonText(one.inspection)}.`,
  ],
});

/** Everything that the authorities publish: a page for each thing, and tables of many. */
export function authorityPages({ passes, huts, trails, museums, ferries, lifts, valleys }: Facts): Page[] {
  const slug = (valley: string): string => valley.toLowerCase().replaceAll(" ", "-");
  const inMay = passes.filter(({ season }) => opensIn(season, 5)).length;
  return [
    ...passes.map(pass),
    ...huts.map(hut),
    ...trails.map(trail),
    ...museums.map(museum),
    ...ferries.map(ferry),
    ...lifts.map(lift),
    {
      url: PASS_TABLE_URL,
      title: `All passes and when they are open: season ${YEAR}`,
      date: `${YEAR}-04-20`,
      blocks: [
        `The road office says when each pass is open in ${YEAR}. In May ${inMay} of the ${passes.length} passes are open, at least for some days.`,
        {
          table: [
            ["Pass", "Height", "Open from", "Open to"],
            ...passes.map(({ name, metres, season }) => [
              name,
              `${figure(metres)} m`,
              dayText(season.from),
              dayText(season.to),
            ]),
          ],
        },
      ],
    },
    ...valleys.map((valley): Page => ({
      url: `${HUT_TABLES}${slug(valley)}`,
      title: `The huts of the ${valley}`,
      date: `${YEAR}-03-30`,
      blocks: [
        `All huts of the ${valley}, with their beds and the season ${YEAR}.`,
        {
          table: [
            ["Hut", "Beds", "Open from", "Open to", "Night"],
            ...huts
              .filter((one) => one.valley === valley)
              .map(({ name, beds, season, night }) => [
                name,
                String(beds),
                dayText(season.from),
                dayText(season.to),
                `${night} euros`,
              ]),
          ],
        },
      ],
    })),
    ...valleys.map((valley): Page => ({
      url: `${TRAIL_TABLES}${slug(valley)}`,
      title: `Trails of the ${valley}`,
      date: `${YEAR}-02-28`,
      blocks: [
        `The trail club looks after these trails of the ${valley}.`,
        {
          table: [
            ["Trail", "Length", "Ascent", "Time"],
            ...trails
              .filter((one) => one.valley === valley)
              .map(({ name, km, ascent, time }) => [name, `${km} km`, `${figure(ascent)} m`, time]),
          ],
        },
      ],
    })),
    {
      url: FERRY_TABLE_URL,
      title: "Ferries: fares of all lines",
      date: `${YEAR}-03-20`,
      blocks: [
        "The fares of all lines, for one crossing.",
        {
          table: [
            ["Line", "Lake", "Crossing", "Fare"],
            ...ferries.map(({ name, lake, minutes, fare }) => [
              name,
              lake,
              `${minutes} minutes`,
              `${fare} euros`,
            ]),
          ],
        },
      ],
    },
    {
      url: LIFT_TABLE_URL,
      title: "Cable cars: prices",
      date: `${YEAR}-02-25`,
      blocks: [
        "Return tickets of all cable cars.",
        { table: [["Cable car", "Return"], ...lifts.map(({ name, ticket }) => [name, `${ticket} euros`])] },
      ],
    },
    {
      url: MUSEUM_TABLE_URL,
      title: "The museums of the region",
      date: `${YEAR}-01-30`,
      blocks: [
        "Where they are, and when they are closed.",
        {
          table: [
            ["Museum", "Village", "Closed on", "Ticket"],
            ...museums.map(({ name, village, closedOn, ticket }) => [
              name,
              village,
              closedOn,
              `${ticket} euros`,
            ]),
          ],
        },
      ],
    },
  ];
}
