import type { Preview } from "../../core/log/tool.ts";
import { ToolError, type ToolContext } from "../define.ts";
import type { WebServices } from "./services.ts";

/** Whom a request to an address asks: an address that was shown carries nothing out; about any other one a person decides. */

type Memory = Pick<WebServices, "memory">;

/** Addresses that a page could have had the run make up, to carry words out: those that nobody has shown it. */
function strangeUrls(urls: readonly string[], { memory }: Memory): string[] {
  return memory.isTainted() ? urls.filter((url) => !memory.knowsUrl(url)) : [];
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

/** What the preview has let pass may be strange by now. */
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
