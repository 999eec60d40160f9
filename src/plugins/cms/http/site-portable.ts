import type { Bindings } from "../../../cairn/bindings.ts";
import type { ApiResult } from "../../../cairn/session/api/session-api.ts";
import type { SiteAnswer } from "../protocol/answers.ts";
import type { Manifest, Seal } from "../protocol/site-file.ts";
import type { SiteRequest } from "./site-changes.ts";

/** Where an answer of an export goes on: behind this member, whose seal is that of all before it and itself. */
export interface ExportPosition {
  readonly after: string;
  readonly seal: Seal;
  /** of the site, as the manifest has it */
  readonly state: string;
}

export interface SiteFile {
  readonly filename: string;
  readonly body: ReadableStream<Uint8Array>;
}

/** `/api/cms/export` and `/api/cms/imports`. */
export interface SitePortable {
  export(
    env: Bindings,
    request: SiteRequest & { readonly place: ExportPosition | null },
    at: number,
  ): Promise<ApiResult<SiteFile>>;
  /** `name`: of the environment that is made of it; null for the deployment's own, which must be the untouched sample */
  begin(
    env: Bindings,
    request: {
      readonly subject: string;
      readonly name: string | null;
      readonly manifest: Manifest;
      readonly seal: Seal;
    },
    at: number,
  ): Promise<ApiResult<SiteAnswer<"SiteImport">>>;
  read(env: Bindings, id: string): Promise<ApiResult<SiteAnswer<"SiteImport">>>;
  put(
    env: Bindings,
    part: {
      readonly id: string;
      readonly n: number;
      readonly name: string;
      readonly sha256: string;
      readonly bytes: Uint8Array;
    },
    at: number,
  ): Promise<ApiResult<SiteAnswer<"SiteImportPart">>>;
  /** does a part of the remaining work, and returns how much remains */
  finish(env: Bindings, id: string, at: number): Promise<ApiResult<SiteAnswer<"SiteImport">>>;
  abandon(env: Bindings, id: string, at: number): Promise<ApiResult<SiteAnswer<"SiteImport">>>;
}
