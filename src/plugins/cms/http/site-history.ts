import type { Bindings } from "../../../cairn/bindings.ts";
import type { Visitor } from "../../../cairn/core/guards/target-access.ts";
import type { ApiResult } from "../../../cairn/session/api/session-api.ts";
import type { HistoryInput } from "../history/history.ts";
import type { UndoInput } from "../history/undo.ts";
import type { SiteAnswer } from "../protocol/answers.ts";

/** `/api/cms/history` and `/api/cms/undo`. `environment`: null for the deployment's own. */
export interface SiteHistory {
  read(
    env: Bindings,
    request: {
      readonly environment: string | null;
      readonly input: HistoryInput;
      /** of which the history is asked, where it is */
      readonly session: string | null;
      readonly visitor: Visitor;
    },
    at: number,
  ): Promise<ApiResult<SiteAnswer<"SiteHistory">>>;
  undo(
    env: Bindings,
    request: {
      readonly environment: string | null;
      readonly input: UndoInput;
      readonly key: string;
      readonly visitor: Visitor;
      /** they may change what visitors see, and delete */
      readonly mayApprove: boolean;
    },
    at: number,
  ): Promise<ApiResult<SiteAnswer<"Undone"> & { readonly replayed: boolean }>>;
}
