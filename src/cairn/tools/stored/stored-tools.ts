import { isListedName } from "../../core/guards/named-tools.ts";
import type { Registry } from "../registry.ts";
import { storedPack, type StoredBindings, type StoredTool } from "./pack.ts";
import { listRows, readStamp, toolOf } from "./rows.ts";

const LISTED = "Its name is one of the tools that a plugin lists. Store it under another name.";

/** The stored tools of a deployment as an isolate has read them. What cannot be read anew stays as it was. */
export class StoredTools {
  readonly #db: D1Database;
  readonly #report: (error: unknown) => void;
  #stamp: number | null = null;
  #tools: readonly StoredTool[] = [];
  #made = new WeakMap<Registry, { readonly of: readonly StoredTool[]; readonly registry: Registry }>();

  /** `report`: a fault, for the operator's log */
  constructor(db: D1Database, report: (error: unknown) => void) {
    this.#db = db;
    this.#report = report;
  }

  /** The very same list while nothing has changed. */
  get tools(): readonly StoredTool[] {
    return this.#tools;
  }

  /** Reads what has changed. Never throws. */
  async load(): Promise<void> {
    try {
      const stamp = await readStamp(this.#db);
      if (stamp === this.#stamp) return;
      const tools = (await listRows(this.#db)).flatMap((row) => toolOf(row) ?? []);
      this.#tools = tools.length === 0 && this.#tools.length === 0 ? this.#tools : tools;
      this.#stamp = stamp;
    } catch (error) {
      this.#report(error);
    }
  }

  /** For a session that wakes within a run: what this isolate knows serves, because each tool's version is in the run's grant. */
  async loadOnce(): Promise<void> {
    if (this.#stamp === null) await this.load();
  }

  /** Adds the stored tools. A tool in the code keeps its name. */
  onto(registry: Registry, env: StoredBindings): Registry {
    const tools = this.#tools;
    if (tools.length === 0) return registry;
    const known = this.#made.get(registry);
    if (known?.of === tools) return known.registry;
    const made = registry.copy();
    const taken = new Set([
      ...registry.cards().map(({ name }) => name),
      ...registry.notOffered().map(({ tool }) => tool),
    ]);
    const listed = registry.listedNames();
    // Stored before the plugin came that lists tools under such names.
    const foreign = tools.filter(({ name }) => isListedName(name, listed));
    const free = tools.filter(({ name }) => !taken.has(name) && !isListedName(name, listed));
    let whole: Registry;
    try {
      whole = made.add(storedPack(free), env).leave(foreign.map(({ name }) => ({ tool: name, why: LISTED })));
    } catch (error) {
      this.#report(error);
      whole = registry.copy().leave(free.map(({ name }) => ({ tool: name, why: "It cannot be offered." })));
    }
    this.#made.set(registry, { of: tools, registry: whole });
    return whole;
  }
}
