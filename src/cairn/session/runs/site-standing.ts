import { BUILTIN_PACK } from "../../core/loop/internal-tools.ts";
import type { SiteTarget } from "../../core/log/run-spec.ts";
import type { ToolFailure } from "../../core/log/tool.ts";
import type { RunRequest } from "../../core/state/state.ts";
import type { Tools } from "../engine/ports.ts";
import type { Sites } from "./sites.ts";

/** The tools of a run on a site of its own choice: each call looks up first whether its person may still work there. */
export function onSite(
  tools: Tools,
  site: SiteTarget,
  {
    sites,
    asking,
  }: { readonly sites: Sites; readonly asking: () => Pick<RunRequest, "actor" | "role"> | null },
): Tools {
  const objection = async (tool: string): Promise<ToolFailure | null> => {
    // Tools of the session itself touch no site.
    if (tools.cards().find((card) => card.name === tool)?.pack === BUILTIN_PACK) return null;
    const run = asking();
    if (run === null) return null;
    await sites.load(site);
    const found = sites.find(site, { subject: run.actor, isAdmin: run.role === "admin" });
    if (found.ok) return null;
    return found.error === "unknown" ? ENDED : UNREAD;
  };
  return {
    cards: () => tools.cards(),
    prompts: (taught) => tools.prompts(taught),
    notOffered: () => tools.notOffered(),
    offers: () => tools.offers(),
    check: (...call) => tools.check(...call),
    preview: async (order, signal) => {
      const failure = await objection(order.tool);
      return failure === null ? tools.preview(order, signal) : { kind: "failed", failure };
    },
    run: async (order, signal, tell) => {
      const failure = await objection(order.tool);
      return failure === null
        ? tools.run(order, signal, tell)
        : { kind: "failed", failure, lost: false, ms: 0 };
    },
  };
}

const ENDED: ToolFailure = {
  class: "auth",
  code: "site_access_ended",
  message: "Whoever asked for this run may not work on this site any more. Nothing was done.",
  retryable: false,
  hint: "Do not try again. Say in your answer that the access to the site has ended.",
};
const UNREAD: ToolFailure = {
  class: "server",
  code: "site_unavailable",
  message: "It could not be read who may work on this site. Nothing was done.",
  retryable: true,
};
