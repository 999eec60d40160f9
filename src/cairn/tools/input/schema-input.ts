import * as z from "zod";
import { checkable, unrollSchema } from "../../core/log/checkable-schema.ts";
import type { JsonObject } from "../../core/log/json.ts";
import { loosenedRoot } from "./offer.ts";

/** The check of an input by the server's own schema. Throws where that cannot be read, such as for a reference to another file. */
export const inputOf = (schema: JsonObject): z.ZodType =>
  z.fromJSONSchema(checkable(unrollSchema(loosenedRoot(schema))));
