/** The code of a wake of a session; src/cli/start/build-modules.ts makes build/modules/wake.mjs of it. */
export { composeRequest } from "../../src/cairn/session/engine/compose-request.ts";
export { takeReport } from "../../src/cairn/session/engine/family/take-report.ts";
export { WakeWork } from "../../src/cairn/session/engine/wake-work.ts";
export { previewEdit } from "../../src/cairn/session/engine/preview-edit.ts";
