/** A place at which the platform may go another way than usual; option 0 is the usual one. */
export interface Choice {
  readonly options: number;
  /** the kind of place, such as `commit: before` */
  readonly what: string;
}

/** Which of the places of a run go another way: place (from 0, in the order in which they come) to option. */
export type Plan = ReadonlyMap<number, number>;

/** The choices of one run. What is not in the plan is as usual. */
export class Choices {
  readonly places: Choice[];
  readonly #plan: Plan;

  /** `places`: those that were come by before this run was taken up */
  constructor(plan: Plan, places: readonly Choice[] = []) {
    this.#plan = plan;
    this.places = [...places];
  }

  pick(options: number, what = ""): number {
    const place = this.places.length;
    this.places.push({ options, what });
    return this.#plan.get(place) ?? 0;
  }
}

/** A run as it went: the places it came by, and where runs that depart at one of them can be taken up. */
export interface Walked<Start> {
  readonly places: readonly Choice[];
  /** by place; a departure at any other is run from where this run was taken up */
  readonly starts: ReadonlyMap<number, Start>;
}

/** One of several equal parts of all plans that depart from the usual; the plan that does not belongs to the first. */
export interface Part {
  /** 0 ≤ index < of */
  readonly index: number;
  readonly of: number;
  /** first departures that belong to this part as well */
  readonly also?: (place: Choice, option: number) => boolean;
}

export const WHOLE: Part = { index: 0, of: 1 };
const NO_CHOICE: Choice = { options: 0, what: "" };

/**
 * Runs every plan with at most `most` departures from the usual, each exactly once: a run says which places it came by,
 * and every later place is then tried in each of its other ways. Nothing is sampled. A run is taken up where an earlier
 * one with the same beginning left a start for it; null is the beginning of all. `isKnown` is asked about each start, with the
 * number of departures that would follow; one that is known is not run again. Answers how many plans the part has.
 */
export async function enumerate<Start>(
  most: number,
  run: (plan: Plan, from: Start | null) => Promise<Walked<Start>>,
  part: Part = WHOLE,
  isKnown: (start: Start, departures: number) => boolean = () => false,
): Promise<number> {
  let runs = part.index === 0 ? 0 : -1;
  let first = 0;
  const from = async (plan: Plan, after: number, start: Start | null): Promise<void> => {
    const { places, starts } = await run(plan, start);
    runs++;
    if (plan.size === most) return;
    for (let place = after; place < places.length; place++) {
      const own = starts.get(place);
      // Asked in every part, so that all of them leave out the same plans.
      if (own !== undefined && isKnown(own, most - plan.size - 1)) continue;
      const choice = places[place] ?? NO_CHOICE;
      for (let option = 1; option < choice.options; option++) {
        const isOfPart = plan.size > 0 || first++ % part.of === part.index;
        if (!isOfPart && part.also?.(choice, option) !== true) continue;
        await from(new Map([...plan, [place, option]]), place + 1, own ?? start);
      }
    }
  };
  await from(new Map(), 0, null);
  return runs;
}

/** A plan in a line, and back: what a failure prints, and what reproduces it. */
export function printPlan(plan: Plan): string {
  return [...plan].map(([place, option]) => `${place}:${option}`).join(",") || "none";
}

export function parsePlan(text: string): Plan {
  if (text === "none") return new Map();
  return new Map(
    text.split(",").map((item): [number, number] => {
      const [place, option] = item.split(":").map(Number);
      if (!Number.isInteger(place) || !Number.isInteger(option)) throw new Error(`${text} is no plan`);
      return [place ?? 0, option ?? 0];
    }),
  );
}
