import type { Bindings } from "../../bindings.ts";
import type { Actor, ApiResult } from "../../session/api/session-api.ts";
import type { SessionClient } from "./session-client.ts";

/** The library that stores pictures sent by people. */
export interface Pictures {
  /** the forms that it takes, for people */
  readonly forms: string;
  /** True for bytes of a form that it takes. */
  isPicture(bytes: Uint8Array): boolean;
  /** Refuses as `enter`, 413 `too_large`, 415 `unsupported_media`, 429 `rate_limited` and 501 `not_configured`. */
  keep(
    bindings: FileBindings,
    deps: PictureDeps,
    actor: Actor,
    sent: SentPicture,
  ): Promise<ApiResult<CachedPicture>>;
}

/** Bindings of the deployment; without a bucket nothing is stored. */
export type FileBindings = Pick<Bindings, "DB"> & { readonly MEDIA?: R2Bucket };

/** Parts of `Deps`. */
export interface PictureDeps {
  readonly sessions: (id: string) => SessionClient;
  readonly now: () => number;
  readonly admins: readonly string[] | null;
}

export interface SentPicture {
  readonly session: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** the same with the same bytes is the same upload */
  readonly key: string;
  /** as in `EnterCommand` */
  readonly sessionAt?: number | null;
}

export interface CachedPicture {
  readonly image: {
    readonly id: string;
    readonly url: string;
    readonly width: number | null;
    readonly height: number | null;
  };
  /** the library had the same bytes before */
  readonly deduped: boolean;
  /** the answer of an earlier upload with this key */
  readonly replayed: boolean;
  readonly mediaType: string;
  /** when the session was made that has it now, milliseconds since 1970 */
  readonly sessionAt: number;
}
