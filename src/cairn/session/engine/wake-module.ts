import type { composeRequest } from "./compose-request.ts";
import type { takeReport } from "./family/take-report.ts";
import type { WakeWork } from "./wake-work.ts";
import type { previewEdit } from "./preview-edit.ts";

/**
 * The code of a wake, with functions that a few commands need. It is loaded on demand (build/on-demand/wake.ts), outside
 * of any transaction, and passed to code inside one.
 */
export interface WakeModule {
  readonly WakeWork: typeof WakeWork;
  readonly composeRequest: typeof composeRequest;
  readonly takeReport: typeof takeReport;
  readonly previewEdit: typeof previewEdit;
}
