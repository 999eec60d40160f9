import { ownValue } from "../../core/log/json.ts";
import type { ErrorClass, ToolFailure } from "../../core/log/tool.ts";
import type { ApiError } from "../../session/api/session-api.ts";

/** Converts a tool's refusal to one of the API: the same message, with its details. */

const STATUS: Partial<Record<ErrorClass, number>> = {
  invalid_args: 400,
  not_found: 404,
  conflict: 409,
  permission: 403,
  policy: 501,
  too_large: 413,
  server: 503,
};
const STATUS_OF_CODE: { readonly [code: string]: number } = { diff_unavailable: 410, unsupported_media: 415 };

export function refusedAs({
  class: errorClass,
  code,
  message,
  hint,
  suggestions,
  details,
}: ToolFailure): ApiError {
  return {
    status: ownValue(STATUS_OF_CODE, code) ?? STATUS[errorClass] ?? 500,
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    extra: {
      ...(suggestions === undefined || suggestions.length === 0 ? {} : { suggestions }),
      ...(details === undefined ? {} : { details }),
    },
  };
}
