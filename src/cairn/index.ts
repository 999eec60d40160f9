/** The public surface of Cairn, in a Worker. Nothing else of the library is imported from outside. */
export { createCairn, type Cairn } from "./create.ts";
export type { CairnApi, CairnSession, ApiProps, RunRequest } from "./api.ts";
export * from "./definitions.ts";
