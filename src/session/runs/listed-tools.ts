import type { State } from "../../core/state/state.ts";
import { complain } from "../../operator-log.ts";
import type { Registry } from "../../tools/registry.ts";
import { prefixOf } from "../../plugins/mcp-client/names.ts";
import { mcpPack, type ListedServer, type McpServices } from "../../plugins/mcp-client/pack.ts";
import type { McpServers, Prepared } from "../../plugins/mcp-client/servers.ts";
import type { Tools } from "../engine/ports.ts";
import type { Disk } from "../storage/store.ts";

type Servers = Pick<McpServers, "prepare"> & McpServices;

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

/**
 * The tools of MCP servers in this session. They are read before a run begins and kept on disk: its run has them until it
 * ends, whatever a server says meanwhile, and a session that was asleep has them again without asking anybody.
 */
export class SessionMcp {
  readonly #disk: Pick<Disk, "exec" | "transaction">;
  readonly #servers: Servers;
  readonly #state: () => State;
  readonly #stored: Stored;
  #kept: Prepared | null = null;
  readonly #made = new WeakMap<Registry, { readonly of: Prepared; readonly registry: Registry }>();

  constructor(
    disk: Pick<Disk, "exec" | "transaction">,
    servers: Servers,
    state: () => State,
    stored: Stored = NONE,
  ) {
    this.#stored = stored;
    this.#disk = disk;
    this.#servers = servers;
    this.#state = state;
  }

  /** Before each wake: what the run that begins in it is offered. Never throws. */
  async loadDue(): Promise<void> {
    const { run, queue } = this.#state();
    const [first] = queue;
    await (run === null ? this.#stored.load() : this.#stored.loadOnce());
    if (run !== null || first === undefined) return;
    const prepared = await this.#servers.prepare(first.request.actor);
    if (JSON.stringify(prepared) !== JSON.stringify(this.#prepared())) this.#keep(prepared);
  }

  /** whether there is a server whose tools are to be read */
  get isThere(): boolean {
    const { listed, left } = this.#prepared();
    return listed.length + left.length + this.#stored.tools.length > 0;
  }

  /** The tools with those of the servers. Without a server the very same. */
  onto(code: Registry): Registry {
    const registry = this.#stored.onto(code);
    const kept = this.#prepared();
    if (kept.listed.length + kept.left.length === 0) return registry;
    const known = this.#made.get(registry);
    if (known?.of === kept) return known.registry;
    let made = registry.copy().leave(kept.left);
    for (const server of kept.listed) {
      try {
        made = made.copy().add(mcpPack(server), this.#servers);
      } catch (error) {
        // No list of a stranger keeps a session from waking.
        const { name } = server.server;
        complain(`the tools of the MCP server ${name} are not offered`, String(error));
        made.leave([{ tool: `${prefixOf(name)}*`, why: "Its tools cannot be offered together." }]);
      }
    }
    this.#made.set(registry, { of: kept, registry: made });
    return made;
  }

  /** Tools that are made anew when those of the servers are others. */
  follow(make: () => Tools): Tools {
    let of: Prepared | null = null;
    let stored: Stored["tools"] = [];
    let made: Tools | null = null;
    const now = (): Tools => {
      const kept = this.#prepared();
      if (made === null || of !== kept || stored !== this.#stored.tools) {
        of = kept;
        stored = this.#stored.tools;
        made = make();
      }
      return made;
    };
    return {
      cards: () => now().cards(),
      prompts: () => now().prompts(),
      notOffered: () => now().notOffered(),
      offers: () => now().offers(),
      check: (...call) => now().check(...call),
      preview: (...call) => now().preview(...call),
      run: (...call) => now().run(...call),
    };
  }

  #prepared(): Prepared {
    if (this.#kept !== null) return this.#kept;
    const rows = this.#disk.exec("SELECT server, body FROM mcp_tools ORDER BY server");
    const left = rows.find(({ server }) => server === LEFT);
    // What is kept is what this code wrote; names of servers have no such sign.
    this.#kept = {
      listed: rows.flatMap(({ server, body }) =>
        server === LEFT ? [] : [JSON.parse(String(body)) as ListedServer],
      ),
      left: left === undefined ? [] : (JSON.parse(String(left["body"])) as Prepared["left"]),
    };
    return this.#kept;
  }

  #keep(prepared: Prepared): void {
    this.#disk.transaction(() => {
      this.#disk.exec("DELETE FROM mcp_tools");
      const write = (server: string, body: unknown): void => {
        this.#disk.exec("INSERT INTO mcp_tools (server, body) VALUES (?, ?)", server, JSON.stringify(body));
      };
      for (const one of prepared.listed) write(one.server.name, one);
      if (prepared.left.length > 0) write(LEFT, prepared.left);
    });
    // As it will be read: in the order of the names.
    this.#kept = {
      listed: prepared.listed.toSorted((a, b) => (a.server.name < b.server.name ? -1 : 1)),
      left: prepared.left,
    };
  }
}

/** the row of what is not offered */
const LEFT = "*";
