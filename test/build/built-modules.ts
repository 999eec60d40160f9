import { buildModules } from "../../src/cli/start/build-modules.ts";

/** Builds the modules that the worker loads on demand, where they are older than their sources. */
export const setup = buildModules;
