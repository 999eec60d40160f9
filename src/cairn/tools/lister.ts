import type { PackRegistry } from "./define.ts";

/** Lists tools that the code of the deployment does not have, such as those of servers. A run has what was listed when it began. */
export interface ToolLister {
  /** The lists for a run of this subject. Never throws: `left` names what cannot be had. */
  prepare(subject: string): Promise<ToolLists>;
  /** Adds the tools of a list. After a throw the session is offered none of them. */
  addTo(registry: PackRegistry, list: unknown): void;
}

export interface ToolLists {
  readonly lists: readonly ToolList[];
  readonly left: readonly { readonly tool: string; readonly why: string }[];
}

export interface ToolList {
  /** of the pack: its tools are named `<name>_<tool>` */
  readonly name: string;
  /** as JSON, which `addTo` reads */
  readonly list: unknown;
}
