import type { Actor, DoorError, Scope } from "./session-api.ts";
import type { Meta } from "../storage/meta.ts";

/** Who may do what in a session, and whose a new one is. */

export function refuse(error: DoorError): { readonly ok: false; readonly error: DoorError } {
  return { ok: false, error };
}

export const given = <Value>(value: Value): { readonly ok: true; readonly value: Value } => ({
  ok: true,
  value,
});

/** `admin` holds every scope; no other implies another. */
export function allows(actor: Actor, scope: Scope): boolean {
  return actor.scopes.includes(scope) || actor.scopes.includes("admin");
}

export function owns(actor: Actor, meta: Meta): boolean {
  return meta.owner === actor.subject || actor.scopes.includes("admin");
}

export function newMeta(actor: Actor, at: number): Meta {
  return { owner: actor.subject, title: "", titleSource: "auto", model: null, createdAt: at, version: 1 };
}
