import * as z from "zod";
import { isZone } from "../../../cairn/protocol/time-zone.ts";

/** A person's notification settings, as the API reads and returns them. */

const ZONE_CHARS_MAX = 60;
const PLACE_CHARS_MAX = 400;

const zone = z
  .string()
  .max(ZONE_CHARS_MAX)
  .refine(isZone, "There is no such time zone: use a name of the IANA list, such as Europe/Berlin.");

const clock = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "This is no time of day: write hours and minutes, such as 22:00.");

export const quietSchema = z
  .strictObject({ from: clock, to: clock })
  .refine(({ from, to }) => from !== to, "from and to are the same time: send null for no quiet hours.");

/** A change by the person; absent fields stay as they are. */
export const notifyChangeSchema = z.strictObject({
  zone: zone.nullable().optional(),
  quiet: quietSchema.nullable().optional(),
  ask: z.string().min(1).max(PLACE_CHARS_MAX).optional(),
});

export const notifyAnswer = z.object({
  zone: z.string().nullable(),
  quiet: z.object({ from: z.string(), to: z.string() }).nullable(),
  /** `auto`, `page` or the id of a place */
  ask: z.string(),
  places: z.array(
    z.object({
      id: z.string(),
      channel: z.string(),
      name: z.string(),
      /** it takes nothing from us until they write from there */
      blocked: z.boolean(),
    }),
  ),
});
