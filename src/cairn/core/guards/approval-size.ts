import { APPROVAL_BYTES_MAX } from "../limits.ts";
import { outlookOf, type Outlook } from "../log/approval.ts";
import type { Json } from "../log/json.ts";
import type { ToolFailure } from "../log/tool.ts";

/**
 * The failure of a call whose approval is larger than can be stored and shown whole; null when it is not. A person approves what they
 * see, so such a call is refused instead of asked about in part.
 */
export function approvalTooLarge(outlook: Outlook, args: Json): ToolFailure | null {
  const bytes = new TextEncoder().encode(JSON.stringify([outlookOf(outlook), args])).length;
  if (bytes <= APPROVAL_BYTES_MAX) return null;
  return {
    class: "too_large",
    code: "too_large_to_approve",
    message: `What this call changes takes ${bytes} bytes to show, and an approval shows at most ${APPROVAL_BYTES_MAX}.`,
    retryable: false,
    hint: "Do it in smaller parts, each with its own approval.",
  };
}
