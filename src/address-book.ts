import type { Address } from "./plugins/channels/plugin.ts";

/**
 * Places that the agent may write to beside whoever asked, by the names that `send_message` knows them by: no address is made of
 * a model's words. An admin's run asks a person before it writes to one; a member's may not. `alone`: places that runs
 * which nobody asked for (webhooks, schedules) may write to without a person.
 *
 *     team: { channel: "telegram", place: "-1001234567890" },
 */
export const addressBook: Readonly<Record<string, Address>> = {};

export const alone: readonly (keyof typeof addressBook)[] = [];
