import * as z from "zod";
import type { Json } from "../../core/log/json.ts";
import { sliceText } from "../../core/prompt/observation.ts";
import { defineTool, ToolError } from "../define.ts";

const LIMIT_DEFAULT = 8_000;
const LIMIT_MAX = 16_000;
/** a slice is shown whole: the text grows when it is written as JSON */
const SHOWN_CHARS_MAX = 2 * LIMIT_MAX;

/** Storage of whole observations of this session. */
export interface Observations {
  /** the whole text of a call of this session, null when it has none */
  read(call: string): string | null;
}

const input = z.strictObject({
  id: z.string().min(1).max(64).describe("Name of the call, as a cut observation says it"),
  offset: z.number().int().min(0).default(0),
  limit: z.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
  find: z.string().min(1).max(200).optional().describe("Read from this text on"),
});

/** Reads what was cut from an observation of this session. */
export const readObservation = defineTool<{ readonly observations: Observations }, typeof input, Json>({
  name: "read_observation",
  lean: true,
  version: 1,
  title: "Continue reading",
  description:
    "Reads characters of a long result that was shown shortened. The shortened result says its id.",
  input,
  effect: "read",
  kind: "bookkeeping",
  tier: "open",
  reads: "private",
  observationMax: SHOWN_CHARS_MAX,
  run: async ({ id, offset, limit, find }, { services }): Promise<Json> => {
    const text = services.observations.read(id);
    if (text === null) {
      throw new ToolError("not_found", "not_found", `No result of this session is named ${id}.`, {
        hint: "Use the id that a shortened result names.",
      });
    }
    const at = find === undefined ? offset : text.toLowerCase().indexOf(find.toLowerCase(), offset);
    if (at < 0) return { ok: true, found: false, total: text.length };
    const slice = sliceText(text, at, limit);
    if (slice === null) {
      throw new ToolError("invalid_args", "range", `${id} has ${text.length} characters.`, {
        at: "offset",
        hint: `Use an offset below ${text.length}.`,
      });
    }
    return { ok: true, id, offset: at, text: slice.text, next: slice.next, total: text.length };
  },
});
