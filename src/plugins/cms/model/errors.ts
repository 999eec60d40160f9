import type { Json } from "../../../cairn/core/log/json.ts";
import type { ErrorClass } from "../../../cairn/core/log/tool.ts";
import { ToolError } from "../../../cairn/tools/define.ts";

/** Every code that a CMS tool may answer with, and its class. A closed list. */
const CLASS_OF = {
  invalid_input: "invalid_args",
  unknown_field: "invalid_args",
  required_field: "invalid_args",
  invalid_content: "invalid_args",
  template_region: "invalid_args",
  unknown_template: "invalid_args",
  locale_unknown: "invalid_args",
  nav_cycle: "invalid_args",
  nav_depth: "invalid_args",
  limit_exceeded: "invalid_args",
  slug_reserved: "invalid_args",
  not_found: "not_found",
  ambiguous_reference: "conflict",
  slug_taken: "conflict",
  already_exists: "conflict",
  in_use: "conflict",
  protected_page: "conflict",
  nothing_to_do: "conflict",
  nothing_to_undo: "conflict",
  already_undone: "conflict",
  undo_conflict: "conflict",
  set_conflict: "conflict",
  publish_blocked: "conflict",
  idempotency_mismatch: "conflict",
  version_conflict: "conflict",
  state_conflict: "conflict",
  approval_stale: "conflict",
  unsupported_media: "invalid_args",
  too_large: "too_large",
  not_configured: "policy",
  forbidden: "permission",
  diff_unavailable: "not_found",
  upstream_error: "server",
  upstream_timeout: "timeout",
  unavailable: "server",
} as const satisfies Record<string, ErrorClass>;

export type CmsCode = keyof typeof CLASS_OF;

/** A next thing to try: `ref` can be passed where a reference is asked for, `value` where a value is. */
export interface Suggestion {
  readonly label: string;
  readonly ref?: string;
  readonly value?: Json;
}

/**
 * A refusal of a CMS tool, to be thrown. `message` explains the fault, with names; `hint` names the next useful call;
 * `at` is a field path such as `sections[1].content.title`; `nothingDone` overrides the class if the outcome is
 * known.
 */
export function fail(
  code: CmsCode,
  message: string,
  more: {
    hint?: string;
    suggestions?: readonly Suggestion[];
    at?: string;
    details?: Json;
    nothingDone?: boolean;
  } = {},
): ToolError {
  const { suggestions, ...rest } = more;
  return new ToolError(CLASS_OF[code], code, message, {
    ...rest,
    ...(suggestions === undefined ? {} : { suggestions: suggestions.map((one) => ({ ...one })) }),
  });
}
