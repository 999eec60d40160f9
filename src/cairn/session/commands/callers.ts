import { sha256Hex } from "../../core/log/digest.ts";
import { actorOfGrant, ANONYMOUS_SUBJECT, type People } from "../../config/rights.ts";
import { isNameOf } from "../../config/tokens.ts";
import type { Actor, Scope } from "../api/session-api.ts";

/** A caller as a request, a socket or a stream has stored them. */
export interface Caller {
  readonly subject: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: number | undefined;
  readonly grant?: string | undefined;
}

/** The rights of a caller now. */
export interface Present {
  readonly scopes: readonly Scope[];
  /** milliseconds since the epoch; absent when it does not end */
  readonly expiresAt?: number;
}

/**
 * The rights of callers at the moment of their use, for an object that sockets and streams outlive requests in. The worker has
 * checked each caller with its own configuration, which may be older or newer than that of this object.
 */
export class Callers {
  readonly #people: People | null;
  /** creation time of this deployment version, milliseconds since the epoch; null if unknown */
  readonly #version: number | null;
  /** names the list of grants of this object */
  readonly edition: string;

  constructor(people: People | null, version: number | null = null) {
    this.#people = people;
    this.#version = version;
    this.edition = sha256Hex((people?.tokens ?? []).map(({ name }) => name).join(" "));
  }

  /** A grant that this object does not know is trusted, unless the worker is of an older version. */
  ofRequest(actor: Actor, at: number): Actor | null {
    const isOld = this.#version !== null && actor.version !== undefined && actor.version < this.#version;
    const now = this.#now(actor, at, !isOld);
    return now === null ? null : { ...actor, ...now };
  }

  /** `stranger`: the edition that did not know the grant when the connection was opened; null where it was known. */
  ofConnection(caller: Caller, stranger: string | null, at: number): Present | null {
    return this.#now(caller, at, stranger === this.edition);
  }

  knows({ grant }: Pick<Caller, "grant">): boolean {
    const tokens = this.#people?.tokens ?? [];
    return grant !== undefined && tokens.some((each) => isNameOf(each, grant));
  }

  #now(caller: Caller, at: number, isVouched: boolean): Present | null {
    const { subject, scopes, expiresAt, grant } = caller;
    const asStored = expiresAt === undefined ? { scopes } : { scopes, expiresAt };
    const stored = expiresAt !== undefined && at >= expiresAt ? null : asStored;
    if (this.#people === null) return stored;
    if (grant === undefined) return subject === ANONYMOUS_SUBJECT && !this.#people.anonymous ? null : stored;
    if (!this.knows(caller)) return isVouched ? stored : null;
    const now = actorOfGrant(this.#people, { subject, grants: [grant], scopes }, at);
    if (now === null) return null;
    return now.expiresAt === undefined
      ? { scopes: now.scopes }
      : { scopes: now.scopes, expiresAt: now.expiresAt };
  }
}
