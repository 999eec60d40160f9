import type { composeRequest } from "./compose-request.ts";
import type { takeReport } from "./family/take-report.ts";
import type { WakeWork } from "./wake-work.ts";
import type { weighEdit } from "./weigh-edit.ts";

/**
 * The code of a wake, and what a few commands need of it. It is loaded on demand (build/beside/wake.ts), outside of any
 * transaction, and handed to the code that needs it in one.
 */
export interface WakeModule {
  readonly WakeWork: typeof WakeWork;
  readonly composeRequest: typeof composeRequest;
  readonly takeReport: typeof takeReport;
  readonly weighEdit: typeof weighEdit;
}
