import type { Bindings } from "../../../cairn/bindings.ts";
import type { ApiResult } from "../../../cairn/session/api/session-api.ts";
import type { SiteAnswer } from "../protocol/answers.ts";
import type { KeyedRequest } from "./site-changes.ts";

export interface PostRequest extends KeyedRequest {
  readonly collection: string;
  readonly title: string;
  readonly slug?: string | undefined;
  readonly excerpt?: string | undefined;
  readonly category?: string | undefined;
  readonly author?: string | undefined;
  readonly cover?: string | undefined;
  readonly content: { readonly [field: string]: string | readonly string[] };
  /** of its first publication elsewhere, ms */
  readonly date: number | null;
  readonly publish: boolean;
  /** nothing is written */
  readonly check: boolean;
}

/** `/api/cms/posts` and `/api/cms/images`: what comes from files. */
export interface SitePosts {
  post(env: Bindings, request: PostRequest, at: number): Promise<ApiResult<SiteAnswer<"PostIn">>>;
  image(
    env: Bindings,
    request: KeyedRequest & {
      readonly filename: string;
      readonly alt: string;
      readonly bytes: Uint8Array;
      readonly check: boolean;
    },
    at: number,
  ): Promise<ApiResult<SiteAnswer<"ImageIn">>>;
}
