import type { Mutant } from "../mutants.ts";

/** Known faults of runs that start others. */

export const FAMILY_MUTANTS: readonly Mutant[] = [];
