import * as z from "zod";

const PLACE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The site that runs work on, as requests name it. */
export const siteTarget = z.strictObject({
  siteId: z.string().regex(PLACE_ID, "It must be the id of a site."),
  environmentId: z.string().regex(PLACE_ID, "It must be the id of an environment."),
});
