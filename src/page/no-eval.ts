import * as z from "zod";

/**
 * Imported first. The schemas of `ai` try whether they may compile themselves, which the page's policy forbids: they would
 * be refused, do without, and leave a violation in the console of everyone who looks for one.
 */
z.config({ jitless: true });
