import { people } from "./channels.ts";
import { createIntake } from "./plugins/channels/intake/plugin.ts";

/** The Durable Object that joins the parts of an album before they are a message (docs/channels.md). */
export class Intake extends createIntake(people) {}
