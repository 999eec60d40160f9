import * as z from "zod";
import type { Frozen } from "../../../../cairn/protocol/api.ts";

/** The answers of the routes of push, for the OpenAPI document and for the page. */

const browserAnswer = () =>
  z.object({
    /** SHA-256 of its endpoint, in hex */
    id: z.string(),
    name: z.string(),
    since: z.iso.datetime(),
  });

const pushAnswer = () =>
  z.object({
    /** the key with which a browser subscribes; null where push is not set up */
    publicKey: z.string().nullable(),
    items: z.array(browserAnswer()),
  });

export type PushBrowser = Frozen<z.output<ReturnType<typeof browserAnswer>>>;
export type PushState = Frozen<z.output<ReturnType<typeof pushAnswer>>>;

export const PUSH_BROWSER = { name: "PushBrowser", schema: browserAnswer };
export const PUSH = { name: "Push", schema: pushAnswer };
