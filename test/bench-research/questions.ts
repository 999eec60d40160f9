import type { Question } from "./format.ts";
import { OTHERS } from "./questions/others.ts";
import { PASSES } from "./questions/passes.ts";

/** All questions. */
export const QUESTIONS: readonly Question[] = [...PASSES, ...OTHERS];
