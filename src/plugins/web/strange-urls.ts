import type { Preview } from "../../cairn/core/log/tool.ts";
import { ToolError, type ToolContext } from "../../cairn/tools/define.ts";
import { judgeUrl } from "../../cairn/outbound/safe-url.ts";
import type { WebServices } from "./services.ts";

/** Whom a request to an address asks: an address that was shown carries nothing out; about any other one a person decides. */

type Memory = Pick<WebServices, "memory" | "access">;

/**
 * Addresses that a page could have made the run invent to send data out: those that were never shown to it. An
 * address that is never requested sends nothing, so no approval is asked: the result names the reason.
 */
function strangeUrls(urls: readonly string[], { memory, access }: Memory): string[] {
  if (!memory.isTainted()) return [];
  return urls.filter((url) => !memory.knowsUrl(url) && judgeUrl(url, access.facts).ok);
}

export function previewOf(urls: readonly string[], services: Memory, title: string): Preview {
  const strange = strangeUrls(urls, services);
  return {
    need:
      strange.length === 0
        ? { kind: "none" }
        : {
            kind: "ask",
            reason:
              "This run has read content from outside, and nothing that it was shown names this address.",
          },
    title,
    summary: `Request ${strange.join(", ") || urls.join(", ")}.`,
    impact: strange.map((url) => `Address: ${url}`),
    basis: null,
  };
}

/** An address that passed the preview may be untrusted by now. */
export function refuseStrange(
  urls: readonly string[],
  { services, approved }: Pick<ToolContext<Memory>, "services" | "approved">,
  tool: string,
): void {
  const [strange] = strangeUrls(urls, services);
  if (strange === undefined || approved !== null) return;
  throw new ToolError("policy", "url_not_shown", `Nothing that was read names ${strange}.`, {
    hint: `Call ${tool} again: a person is asked.`,
  });
}
