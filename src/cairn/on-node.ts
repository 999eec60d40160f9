import type { Cairn } from "./create.ts";
import type { CairnOptions } from "./project.ts";

/** The public surface of Cairn where there is no Workers runtime: in the tests of a project on Node. */
export * from "./definitions.ts";

/** Throws: the classes of a worker cannot be made on Node. */
export function createCairn(_options: CairnOptions): Cairn {
  throw new Error(
    "createCairn needs the Workers runtime. In a test on Node, import the tool itself, and try it with sessionOf of cairn/testing.",
  );
}
