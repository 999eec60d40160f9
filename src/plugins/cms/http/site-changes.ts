import type { Bindings } from "../../../cairn/bindings.ts";
import type { Visitor } from "../../../cairn/core/guards/target-access.ts";
import type { ApiResult } from "../../../cairn/session/api/session-api.ts";
import type { SiteAnswer } from "../protocol/answers.ts";

/** The requester and the site. `environment`: null for the deployment's own. */
export interface SiteRequest {
  readonly environment: string | null;
  readonly visitor: Visitor;
}

/** A write of theirs: `key` makes it the same one when it is asked for again. */
export interface KeyedRequest extends SiteRequest {
  readonly key: string;
}

type Replayed<Value> = ApiResult<Value & { readonly replayed: boolean }>;

/** `/api/cms/change-sets`. */
export interface SiteChanges {
  list(
    env: Bindings,
    request: SiteRequest & { readonly state: "open" | "published" | "discarded" | null },
    at: number,
  ): Promise<ApiResult<SiteAnswer<"ChangeSets">>>;
  /** the writes of this session go into a set from now on; the one that is open goes on */
  begin(
    env: Bindings,
    request: KeyedRequest & {
      readonly session: string;
      readonly createdAt: number;
      readonly name: string | null;
    },
    at: number,
  ): Promise<ApiResult<SiteAnswer<"ChangeSetBrief">>>;
  show(
    env: Bindings,
    request: SiteRequest & { readonly set: string },
    at: number,
  ): Promise<ApiResult<SiteAnswer<"ChangeSet">>>;
  publish(
    env: Bindings,
    request: KeyedRequest & {
      readonly set: string;
      /** of the difference that was read; absent: whatever it is now */
      readonly digest?: string | undefined;
      readonly overwrite?: readonly string[] | undefined;
      readonly at?: string | undefined;
      readonly timeZone?: string | undefined;
    },
    at: number,
  ): Promise<Replayed<SiteAnswer<"ChangeSetSettled">>>;
  discard(
    env: Bindings,
    request: KeyedRequest & { readonly set: string },
    at: number,
  ): Promise<Replayed<SiteAnswer<"ChangeSetSettled">>>;
}
