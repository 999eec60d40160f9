import type { Json } from "../../../src/cairn/core/log/json.ts";
import { Chance } from "../../sim/platform/chance.ts";
import type { LoopFamily, LoopRule, LoopTrace, OkFamily, TraceEvent } from "./loop-format.ts";
import { SETTINGS, type Setting } from "./settings.ts";

export type Answer =
  | { readonly output: Json }
  | { readonly error: { readonly class: string; readonly code: string; readonly message: string } };

export interface Asked {
  readonly tool: string;
  readonly args: { readonly [key: string]: Json };
  readonly answer: Answer;
}

/** Writes the events of one trace in order; time and wording come from its seed. */
export class TraceWriter {
  readonly chance: Chance;
  readonly setting: Setting;
  readonly #events: TraceEvent[] = [];
  #at = 0;
  #calls = 0;
  #turns = 0;
  #drawn = 0;

  constructor(seed: number) {
    this.chance = new Chance(seed);
    this.setting = SETTINGS[seed % SETTINGS.length] ?? SETTINGS[0];
    this.human(this.chance.pick(this.setting.wishes));
  }

  /** turns written so far: the number of the last one */
  get turns(): number {
    return this.#turns;
  }

  human(text: string): void {
    this.#at += this.#turns === 0 ? 0 : 20_000 + this.chance.below(60_000);
    this.#events.push({ at: this.#at, t: "human", text });
  }

  /** Time passes without an event. */
  wait(ms: number): void {
    this.#at += ms;
  }

  compact(from: number, to: number): void {
    this.#at += 200;
    this.#events.push({ at: this.#at, t: "compact", from, to });
  }

  turn(text: string, ...asked: readonly Asked[]): void {
    this.#turns++;
    this.#at += 500 + this.chance.below(2_500);
    const calls = asked.map(({ tool, args }) => ({ id: `c${this.#calls++}`, tool, args }));
    this.#events.push({ at: this.#at, t: "reply", text, calls });
    for (const [index, { answer }] of asked.entries()) {
      const call = calls[index]?.id ?? "";
      this.#at += 50 + this.chance.below(900);
      if ("output" in answer)
        this.#events.push({ at: this.#at, t: "result", call, ok: true, output: answer.output });
      else this.#events.push({ at: this.#at, t: "result", call, ok: false, error: answer.error });
    }
  }

  /** A turn around calls, with words or, as native tool calls often have it, without. */
  act(...asked: readonly Asked[]): void {
    this.turn(this.chance.once(2) ? "" : this.chance.pick(this.setting.thoughts), ...asked);
  }

  /** Turns that do something new each, before the matter of the trace or after it. */
  prelude(turns: number): void {
    for (let n = 0; n < turns; n++) this.act(this.chance.once(3) ? this.newSearch() : this.newRead());
  }

  /** a thing of the setting that the trace has not had */
  newThing(): string {
    const { things } = this.setting;
    const n = this.#drawn++;
    const thing = things[n % things.length] ?? things[0];
    return n < things.length ? thing : `${thing}-${Math.floor(n / things.length) + 1}`;
  }

  /** Reads a thing; the answer is the same each time, except for its volatile fields. */
  read(thing: string, body = `All about ${thing}.`): Asked {
    const { name, arg } = this.setting.read;
    const took = 5 + this.chance.below(400);
    return { tool: name, args: { [arg]: thing }, answer: { output: { id: thing, body, took_ms: took } } };
  }

  newRead(): Asked {
    return this.read(this.newThing());
  }

  search(query: string, found: readonly string[]): Asked {
    const { name, arg } = this.setting.search;
    const items = found.map((id) => ({ id, title: `About ${id}` }));
    return { tool: name, args: { [arg]: query }, answer: { output: { items } } };
  }

  newSearch(): Asked {
    const thing = this.newThing();
    return this.search(`${thing} ${this.chance.pick(this.setting.topics)}`, [`hit-${thing}`]);
  }

  list(page: number, found: readonly string[]): Asked {
    const { name, arg, of } = this.setting.list;
    const items = found.map((id) => ({ id }));
    return { tool: name, args: { [arg]: of, page }, answer: { output: { items } } };
  }

  write(target: string, value: string): Asked {
    const { name, target: of, value: what } = this.setting.write;
    return { tool: name, args: { [of]: target, [what]: value }, answer: { output: { ok: true } } };
  }

  poll(job: string, state: string): Asked {
    const { name, arg } = this.setting.poll;
    return { tool: name, args: { [arg]: job }, answer: { output: { state } } };
  }

  failed(asked: Asked, kind: string, code: string, message: string): Asked {
    return { ...asked, answer: { error: { class: kind, code, message } } };
  }

  /** A guard did not let it run. */
  skipped(asked: Asked, code: string, message: string): Asked {
    return this.failed(asked, "policy", code, message);
  }

  book(tool: string, args: { readonly [key: string]: Json }, output: Json): Asked {
    return { tool, args, answer: { output } };
  }

  finish(
    place: { readonly id: string; readonly split: "tune" | "held"; readonly config: LoopTrace["config"] },
    family: LoopFamily | OkFamily,
    loop: { readonly onset: number; readonly detect_by: number; readonly rules: readonly LoopRule[] } | null,
  ): LoopTrace {
    const label =
      loop === null
        ? ({ label: "ok" } as const)
        : ({ label: "loop", onset: loop.onset, detect_by: loop.detect_by } as const);
    const used = new Set(
      this.#events.flatMap((event) => (event.t === "reply" ? event.calls.map((call) => call.tool) : [])),
    );
    const tools = Object.entries(this.setting.tools).filter(([name]) => used.has(name));
    return {
      id: place.id,
      family,
      ...label,
      rules: [...(loop?.rules ?? [])],
      split: place.split,
      by: "generator",
      config: place.config,
      tools: Object.fromEntries(tools),
      events: this.#events,
    };
  }
}
