/** A place at which the world may go another way than usual; option 0 is the usual one. */
export interface Choice {
  readonly options: number;
}

/** Which of the places of a run go another way: place (from 0, in the order in which they come) to option. */
export type Plan = ReadonlyMap<number, number>;

/** The choices of one run. What is not in the plan is as usual. */
export class Choices {
  readonly places: Choice[] = [];
  readonly #plan: Plan;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  pick(options: number): number {
    const place = this.places.length;
    this.places.push({ options });
    return this.#plan.get(place) ?? 0;
  }
}

/**
 * Runs every plan with at most `most` departures from the usual, each exactly once: a run says which places it came by,
 * and every later place is then tried in each of its other ways. Nothing is sampled.
 */
export async function enumerate(most: number, run: (plan: Plan) => Promise<Choices>): Promise<number> {
  let runs = 0;
  const from = async (plan: Plan, after: number): Promise<void> => {
    const { places } = await run(plan);
    runs++;
    if (plan.size === most) return;
    for (let place = after; place < places.length; place++) {
      for (let option = 1; option < (places[place]?.options ?? 0); option++) {
        await from(new Map([...plan, [place, option]]), place + 1);
      }
    }
  };
  await from(new Map(), 0);
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
