import type { Hono } from "hono";
import { channelViews } from "./channel-views.ts";
import { isRulesName } from "../../core/log/model.ts";
import type { ToolProblem } from "../../tools/rules.ts";
import type { Answer } from "../../protocol/api.ts";
import { hasProblem, PROBLEM_MEANS, type ConfigProblem } from "../../config/config.ts";
import type { Webhooks } from "../../webhooks/rules.ts";
import { isLocal } from "../kit/credentials.ts";
import type { ToolList, Deps } from "../deps.ts";
import { leftOutWords } from "../../tools/offer-bounds.ts";
import { type HttpEnv, notThisMethod, route } from "../kit/route.ts";

/** Routes about the deployment: `/healthz`, `/api/me`, `/api/tools`. */

export const PROTOCOL = 1;

/** Problems in the code of a deployment. The affected part is off; the rest works. */
export function codeProblems(
  tools: { problems(): readonly ToolProblem[] },
  webhooks: Webhooks,
): readonly ConfigProblem[] {
  return [
    ...tools.problems().map(({ about, message }) => ({ variable: about, class: "F" as const, message })),
    ...Array.from(webhooks.faults, ([source, fault]) => ({
      variable: `src/webhooks.ts: ${source}`,
      class: "F" as const,
      message: `/hooks/${source} takes no webhook until its mapping is fixed: ${fault}.`,
    })),
  ];
}

export function mountHealth(
  app: Hono<HttpEnv>,
  { channels, config, pluginProblems, plugins, secrets = [], version }: Deps,
): void {
  app.get("/healthz", async (c) => {
    const broken = hasProblem(config, "C") || hasProblem(config, "M");
    const body = {
      status: broken ? "misconfigured" : "ok",
      service: "cairn",
      version,
      protocol: PROTOCOL,
      model: config.modelName,
      rules: config.modelName !== null && isRulesName(config.modelName),
      auth: authKind(config.anonymous && isLocal(c.req.raw), config.tokens.length),
      channels: channelViews({ channels, config }),
      panels: [...new Set(plugins.flatMap(({ panels = [] }) => panels))],
      // For `cairn deploy --check`, which loads the worker on its own machine. Hidden elsewhere.
      ...(isLocal(c.req.raw) && { secrets }),
      problems: [
        ...config.problems.map(({ variable, class: of, message }) => ({
          variable,
          message: `${message} ${PROBLEM_MEANS[of]}`,
        })),
        ...((await pluginProblems?.()) ?? []).map(({ about, message, remark = false, plugin }) => ({
          variable: about,
          message: remark ? message : `${message} ${PROBLEM_MEANS.F}`,
          ...(plugin === undefined ? {} : { plugin }),
        })),
      ],
    };
    return Response.json(body, { status: broken ? 503 : 200, headers: { "cache-control": "no-store" } });
  });
  app.all("/healthz", (c) => notThisMethod(c, ["GET"]));
}

/** How this caller's host logs in: `anonymous` holds for local hosts only. */
function authKind(anonymous: boolean, tokens: number): "tokens" | "anonymous" | "none" {
  if (anonymous) return "anonymous";
  return tokens > 0 ? "tokens" : "none";
}

export function mountDeployment(app: Hono<HttpEnv>, { tools, loadTools }: Deps): void {
  route(app, "/api/me", {
    GET: {
      scopes: [],
      summary: "Reads your subject and scopes.",
      answers: { 200: "Me" },
      handle: ({ var: { actor } }) =>
        Response.json({
          subject: actor.subject,
          scopes: actor.scopes,
          anonymous: actor.subject === "anonymous",
        }),
    },
  });
  route(app, "/api/tools", {
    GET: {
      scopes: ["read"],
      summary: "Lists tools, and why some are unavailable.",
      answers: { 200: "Tools" },
      handle: async () => {
        await loadTools?.();
        return Response.json({ items: toolViews(tools()) });
      },
    },
  });
}

/** For an unavailable tool, only the name and the reason are known. */
function toolViews(list: ToolList): Answer<"Tools">["items"] {
  const leftOut = list.leftOut();
  const offered = list.cards().map((card) => ({
    name: card.name,
    title: card.title,
    description: card.description,
    effect: card.effect,
    inputSchema: card.inputSchema,
    approval: { mode: card.gate },
    pack: card.pack,
    available: true,
    why: leftOut.has(card.name) ? leftOutWords(list.listedNames()) : null,
  }));
  const others = list.notOffered().map(({ tool, why }) => ({
    name: tool,
    title: null,
    description: null,
    effect: null,
    inputSchema: null,
    approval: null,
    pack: null,
    available: false,
    why,
  }));
  return [...offered, ...others];
}
