import { ATTEMPT_SCRIPTS } from "./attempts.ts";
import { MATRIX, PEERS } from "./matrix.ts";
import { TREE_SCRIPTS } from "./scripts.ts";
import type { TreeScript } from "./world.ts";

/** Every tree that `npm run sim` goes through. */
export const ALL_TREES: readonly TreeScript[] = [...TREE_SCRIPTS, ...ATTEMPT_SCRIPTS, ...MATRIX, ...PEERS];

export function treeOf(name: string): TreeScript {
  const found =
    ALL_TREES.find((tree) => tree.name === name) ?? ALL_TREES.find((tree) => tree.name.includes(name));
  if (found === undefined) throw new Error(`no tree is named ${name}`);
  return found;
}
