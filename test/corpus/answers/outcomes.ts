import type { ErrorClass } from "../../../src/cairn/core/log/tool.ts";
import type { Made } from "./calls.ts";

/** Outcomes of a call other than running as the model proposed it. */

const CLASS_OF = {
  not_found: "not_found",
  publish_blocked: "conflict",
  slug_taken: "conflict",
  version_conflict: "conflict",
  approval_stale: "conflict",
  protected_page: "conflict",
  nav_depth: "invalid_args",
  required_field: "invalid_args",
  invalid_content: "invalid_args",
  limit_exceeded: "invalid_args",
  forbidden: "permission",
  upstream_timeout: "timeout",
  unavailable: "server",
} as const satisfies Record<string, ErrorClass>;

const RETRYABLE: ReadonlySet<string> = new Set(["timeout", "server"]);

function ended(
  call: Made,
  status: Made["status"],
  failure: { class: ErrorClass; code: string; message: string; retryable: boolean; hint?: string },
): Made {
  return { ...call, status, observation: JSON.stringify({ ok: false, error: failure }), changed: [] };
}

/** A call that failed without having changed anything. */
export function failed(call: Made, code: keyof typeof CLASS_OF, message: string): Made {
  const kind = CLASS_OF[code];
  return ended(call, "error", { class: kind, code, message, retryable: RETRYABLE.has(kind) });
}

/** A person said no. */
export function denied(call: Made, reason = ""): Made {
  return ended(call, "denied", {
    class: "policy",
    code: "denied",
    message: `ada said no${reason === "" ? "" : `: ${reason}`}`,
    retryable: false,
    hint: "Do not try it again. Go on with what still makes sense and tell the person what was not done.",
  });
}

/** Not run, because a change before it in the same reply failed. */
export function refused(call: Made): Made {
  return ended(call, "refused", {
    class: "policy",
    code: "batch_stopped",
    message: "Not run, because an earlier change of the same reply failed.",
    retryable: true,
    hint: "Look at the failure first, then ask again for what is still right.",
  });
}

/** The call may have taken effect, and nothing records whether it did. */
export function unknown(call: Made): Made {
  return ended(call, "unknown", {
    class: "internal",
    code: "unknown_outcome",
    message: `It was interrupted while it ran, so it is not known whether ${call.tool} took effect.`,
    retryable: false,
    hint: "Look whether it happened before doing it again, and tell the person.",
  });
}

/** Approved with other arguments: `ran` is what was done, `proposed` what the model had wanted. */
export function edited(proposed: Made, ran: Made): Made {
  return { ...ran, proposed: proposed.input };
}

/** Answered from the equal call before it, named `from`; it did not run again. */
export function reused(call: Made, from: string): Made {
  return { ...call, reusedFrom: from, changed: [] };
}
