import type { State } from "../../core/state/state.ts";
import { logError } from "../../operator-log.ts";
import type { ToolList, ToolLister, ToolLists } from "../../tools/lister.ts";
import type { Registry } from "../../tools/registry.ts";
import type { Tools } from "../engine/ports.ts";
import type { Disk } from "../storage/store.ts";

/** by the names of their plugins */
export type Listers = ReadonlyMap<string, ToolLister>;

/** The tools that were stored as data, for the sessions of an isolate. */
interface Stored {
  readonly tools: readonly unknown[];
  load(): Promise<void>;
  loadOnce(): Promise<void>;
  onto(registry: Registry): Registry;
}

const NONE: Stored = {
  tools: [],
  load: () => Promise.resolve(),
  loadOnce: () => Promise.resolve(),
  onto: (registry) => registry,
};

interface Prepared {
  /** in the order of their listers and names */
  readonly lists: readonly (ToolList & { readonly lister: string })[];
  readonly left: ToolLists["left"];
}

/**
 * Tools that are listed elsewhere, in this session: those that were stored as data, and those of listers. Lists are read before
 * a run begins and stored: its run has them until it ends, whatever is listed meanwhile, and a session that was asleep has them
 * again without asking anybody.
 */
export class ListedTools {
  readonly #disk: Pick<Disk, "exec" | "transaction">;
  readonly #listers: Listers;
  readonly #state: () => State;
  readonly #stored: Stored;
  #cached: Prepared | null = null;
  readonly #made = new WeakMap<Registry, { readonly of: Prepared; readonly registry: Registry }>();

  constructor(
    disk: Pick<Disk, "exec" | "transaction">,
    listers: Listers,
    state: () => State,
    stored: Stored = NONE,
  ) {
    this.#stored = stored;
    this.#disk = disk;
    this.#listers = listers;
    this.#state = state;
  }

  /** Before each wake: what the run that begins in it is offered. Never throws. */
  async loadDue(): Promise<void> {
    const { run, queue } = this.#state();
    const [first] = queue;
    await (run === null ? this.#stored.load() : this.#stored.loadOnce());
    if (run !== null || first === undefined) return;
    const prepared = await this.#prepare(first.request.actor);
    if (JSON.stringify(prepared) !== JSON.stringify(this.#prepared())) this.#cache(prepared);
  }

  /** True where there are tools that are listed elsewhere. */
  get isThere(): boolean {
    const { lists, left } = this.#prepared();
    return lists.length + left.length + this.#stored.tools.length > 0;
  }

  /** The tools with those of the lists. Without a list the very same. */
  onto(code: Registry): Registry {
    const registry = this.#stored.onto(code);
    const prepared = this.#prepared();
    if (prepared.lists.length + prepared.left.length === 0) return registry;
    const known = this.#made.get(registry);
    if (known?.of === prepared) return known.registry;
    let made = registry.copy().leave(prepared.left);
    for (const { lister: of, name, list } of prepared.lists) {
      const lister = this.#listers.get(of);
      if (lister === undefined) {
        made.leave([{ tool: `${name}_*`, why: "Its plugin is not here any more." }]);
        continue;
      }
      try {
        const next = made.copy();
        lister.addTo(next.packsOf(of), list);
        made = next;
      } catch (error) {
        // A foreign tool list must not prevent a session from waking.
        logError(`the listed tools ${name} are not offered`, String(error));
        made.leave([{ tool: `${name}_*`, why: "Its tools cannot be offered together." }]);
      }
    }
    this.#made.set(registry, { of: prepared, registry: made });
    return made;
  }

  /** Tools that are made anew when those of the servers are others. */
  follow(make: () => Tools): Tools {
    let of: Prepared | null = null;
    let stored: Stored["tools"] = [];
    let made: Tools | null = null;
    const now = (): Tools => {
      const prepared = this.#prepared();
      if (made === null || of !== prepared || stored !== this.#stored.tools) {
        of = prepared;
        stored = this.#stored.tools;
        made = make();
      }
      return made;
    };
    return {
      cards: () => now().cards(),
      prompts: (taught) => now().prompts(taught),
      notOffered: () => now().notOffered(),
      offers: () => now().offers(),
      check: (...call) => now().check(...call),
      preview: (...call) => now().preview(...call),
      run: (...call) => now().run(...call),
    };
  }

  async #prepare(subject: string): Promise<Prepared> {
    const each = await Promise.all(
      [...this.#listers].map(async ([name, lister]) => ({
        lister: name,
        ...(await lister.prepare(subject)),
      })),
    );
    return {
      lists: each
        .flatMap(({ lister, lists }) => lists.map(({ name, list }) => ({ lister, name, list })))
        .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
      left: each.flatMap(({ left }) => left),
    };
  }

  #prepared(): Prepared {
    if (this.#cached !== null) return this.#cached;
    // Only this code writes these rows; names of lists and plugins have no such sign.
    const rows = this.#disk
      .exec("SELECT lister, name, body FROM listed_tools ORDER BY lister, name")
      .map((row) => ({
        lister: String(row["lister"]),
        name: String(row["name"]),
        body: String(row["body"]),
      }));
    const left = rows.find(({ name }) => name === LEFT);
    this.#cached = {
      lists: rows.flatMap(({ lister, name, body }) =>
        name === LEFT ? [] : [{ lister, name, list: JSON.parse(body) as unknown }],
      ),
      left: left === undefined ? [] : (JSON.parse(left.body) as Prepared["left"]),
    };
    return this.#cached;
  }

  #cache(prepared: Prepared): void {
    this.#disk.transaction(() => {
      this.#disk.exec("DELETE FROM listed_tools");
      const write = (lister: string, name: string, body: unknown): void => {
        this.#disk.exec(
          "INSERT INTO listed_tools (lister, name, body) VALUES (?, ?, ?)",
          lister,
          name,
          JSON.stringify(body),
        );
      };
      for (const { lister, name, list } of prepared.lists) write(lister, name, list);
      if (prepared.left.length > 0) write(LEFT, LEFT, prepared.left);
    });
    this.#cached = prepared;
  }
}

/** the row of what is not offered */
const LEFT = "*";

/** as the rows are ordered */
const keyOf = ({ lister, name }: { readonly lister: string; readonly name: string }): string =>
  `${lister} ${name}`;
