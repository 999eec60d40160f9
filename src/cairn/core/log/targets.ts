import type { JsonObject } from "./json.ts";

/**
 * The things that runs work on in the place of the deployment's own, by the names that plugins give them, such as `site`. The values are those
 * of the plugin; the kernel stores them and compares them.
 */
export type Targets = Readonly<Record<string, JsonObject>>;
