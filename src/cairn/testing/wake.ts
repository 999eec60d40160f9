import { composeRequest } from "../session/engine/compose-request.ts";
import { takeReport } from "../session/engine/family/take-report.ts";
import type { WakeModule } from "../session/engine/wake-module.ts";
import { WakeWork } from "../session/engine/wake-work.ts";
import { previewEdit } from "../session/engine/preview-edit.ts";
import { present } from "../core/on-demand.ts";

/** The code of a wake, from its sources: in tests it is there from the beginning. */
export const WAKE = present<WakeModule>({ composeRequest, takeReport, WakeWork, previewEdit });
