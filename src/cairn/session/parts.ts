import type { Entry } from "../core/log/entry.ts";
import type { State } from "../core/state/state.ts";
import type { LoadsDue } from "./background/due-loads.ts";
import { PAGE_ALONE, type PeopleReader } from "./background/notes.ts";
import type { Deliveries } from "./background/outbox.ts";
import type { Background, OpenLog } from "./engine/ports.ts";
import type { SessionHost, SessionPart } from "./part.ts";

/** A plugin that has a part in each session. */
export interface PartMaker {
  readonly name: string;
  session?(host: SessionHost): SessionPart;
}

/** `part`: name of its plugin */
type Report = (part: string, error: unknown) => void;

/** A part that throws is reported, and the session goes on without that call. */
class Contained implements Background {
  readonly name: string;
  readonly part: SessionPart;
  readonly #report: Report;

  constructor(name: string, part: SessionPart, report: Report) {
    this.name = name;
    this.part = part;
    this.#report = report;
  }

  #within<Result>(otherwise: Result, act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      this.#report(this.name, error);
      return otherwise;
    }
  }

  due(state: State): number | null {
    return this.#within(null, () => this.part.due?.(state) ?? null);
  }

  fallDue(log: OpenLog, since: number): void {
    this.#within(undefined, () => this.part.fallDue?.(log, since));
  }

  wrote(entries: readonly Entry[], state: State): void {
    this.#within(undefined, () => this.part.wrote?.(entries, state));
  }

  committed(entries: readonly Entry[], state: State): void {
    this.#within(undefined, () => this.part.committed?.(entries, state));
  }
}

/** The parts that plugins have in one session. */
export class SessionParts {
  readonly #parts: readonly Contained[];
  readonly byPlugin: ReadonlyMap<string, SessionPart>;

  constructor(plugins: readonly PartMaker[], host: SessionHost, report: Report) {
    this.#parts = plugins.flatMap((plugin) => {
      const { name } = plugin;
      try {
        const part = plugin.session?.(host);
        return part === undefined ? [] : [new Contained(name, part, report)];
      } catch (error) {
        report(name, error);
        return [];
      }
    });
    this.byPlugin = new Map(this.#parts.map(({ name, part }) => [name, part]));
  }

  /** background work, by the names under which load failures are stored */
  get background(): Readonly<Record<string, Background & LoadsDue>> {
    return Object.fromEntries(
      this.#parts.map((one) => [
        `part:${one.name}`,
        {
          due: (state) => one.due(state),
          fallDue: (log, since) => one.fallDue(log, since),
          wrote: (entries, state) => one.wrote(entries, state),
          loadDue: async (at) => await one.part.loadDue?.(at),
        } satisfies Background & LoadsDue,
      ]),
    );
  }

  committed(entries: readonly Entry[], state: State): void {
    for (const one of this.#parts) one.committed(entries, state);
  }

  readonly deliveries = (): readonly Deliveries[] => this.#parts.flatMap(({ part }) => part.deliveries ?? []);

  get people(): PeopleReader {
    return this.#parts.flatMap(({ part }) => part.people ?? [])[0] ?? PAGE_ALONE;
  }

  get reachable(): readonly string[] {
    return this.#parts.flatMap(({ part }) => part.reachable ?? []);
  }
}
