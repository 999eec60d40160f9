import { createScriptedModel } from "../worker/script.ts";
import { joined } from "./joined.ts";
import { plainWorker } from "./plain.ts";

/** The same with Cairn's own joining of small deltas. */
export default plainWorker(joined(createScriptedModel()));
