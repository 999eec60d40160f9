import type { Answer } from "../../cairn/protocol/api.ts";

type Tool = Answer<"Tools">["items"][number];

export interface Pack {
  readonly pack: string;
  readonly tools: readonly { readonly name: string; readonly title: string }[];
}

/** the group of tools of an unknown pack */
const OTHERS = "others";

/** These tools by the pack that they are of, in the order in which they are named. */
export function packsOf(names: readonly string[], known: readonly Tool[]): readonly Pack[] {
  const packs = new Map<string, { name: string; title: string }[]>();
  for (const name of names) {
    const tool = known.find((each) => each.name === name);
    const pack = tool?.pack ?? OTHERS;
    packs.set(pack, [...(packs.get(pack) ?? []), { name, title: tool?.title ?? name }]);
  }
  return [...packs].map(([pack, tools]) => ({ pack, tools }));
}
