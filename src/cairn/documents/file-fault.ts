import type { ErrorClass } from "../core/log/tool.ts";
import { err, type Result } from "../core/log/result.ts";

/** Why nothing came of a file, in words for the model and the person. */
export interface FileFault {
  readonly class: ErrorClass;
  readonly code: string;
  readonly message: string;
  /** what to do */
  readonly hint: string;
}

/** `fault("invalid_args", "unreadable", what is wrong, what to do)` */
export const fault = (
  errorClass: ErrorClass,
  code: string,
  message: string,
  hint: string,
): Result<never, FileFault> => err({ class: errorClass, code, message, hint });
