import { TARGET_NAME } from "../../core/log/names.ts";
import * as z from "zod";
import { canonicalJson } from "../../core/log/json.ts";
import { json } from "../json.ts";
import { refuse } from "./faults.ts";

const TARGETS_BYTES_MAX = 2_048;

/** The targets of runs, by name, as requests name them. The values are checked by the plugins that know them. */
export const targetsSchema = z
  .record(z.string(), z.record(z.string(), json))
  .superRefine((targets, context) => {
    if (!Object.keys(targets).every((name) => TARGET_NAME.test(name)))
      refuse(
        context,
        "out_of_range",
        "It must name each target in a-z, 0-9, - and _, and begin with a letter.",
      );
    if (new TextEncoder().encode(canonicalJson(targets)).length > TARGETS_BYTES_MAX)
      refuse(context, "out_of_range", `As JSON it must have at most ${TARGETS_BYTES_MAX} bytes.`);
  });
