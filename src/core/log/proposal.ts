import type { CallMark } from "../state/call-digest.ts";
import type { Json } from "./json.ts";
import type { EffectClass, Gate, ToolAccess, ToolFailure, ToolTraits } from "./tool.ts";

/** A call of a reply, with what the house knows of its tool. A refused one carries why and never runs. */
export interface ProposedCall {
  readonly call: string;
  readonly tool: string;
  readonly title: string;
  readonly input: Json;
  readonly effect: EffectClass;
  readonly gate: Gate;
  readonly refused: ToolFailure | null;
  /** an equal call earlier in the same reply: it runs once and both get its result */
  readonly twin: string | null;
  /** what the guards keep of it; absent in rows of before schema 3 and where no tool stands behind it */
  readonly mark?: CallMark;
  readonly traits?: ToolTraits;
  /** who may have it called, and what its result does to the run; absent like `mark` */
  readonly access?: ToolAccess;
}
