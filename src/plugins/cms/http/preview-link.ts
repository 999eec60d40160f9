import { ID_PATTERN } from "../../../cairn/core/log/names.ts";
import type { Hono } from "hono";
import type { Bindings } from "../../../cairn/bindings.ts";
import type { Visitor } from "../../../cairn/core/guards/target-access.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import { siteAnswer, type SiteAnswer } from "../protocol/answers.ts";
import type { ApiResult } from "../../../cairn/session/api/session-api.ts";
import { invalid, NOT_FOUND } from "../../../cairn/http/kit/responses.ts";
import { visitorOf } from "./environments.ts";
import { type HttpEnv, answer, refuse, route } from "../../../cairn/http/kit/route.ts";

/** `GET /api/cms/preview-link?type&id`: a link that shows drafts for a while, for someone who is logged in. */
export interface PreviewTarget {
  readonly type: "site" | "page" | "entry";
  /** null for the whole site */
  readonly id: string | null;
  /** null: that of the page or entry, else the deployment's own */
  readonly environment: string | null;
  /** id of the change set that it is shown with; null: as the site is */
  readonly set: string | null;
}

/** Mints the token, if the visitor may use the environment. `origin` is where the link will lead, `at` milliseconds since the epoch. */
export type MintPreviewLink = (
  env: Bindings,
  target: PreviewTarget,
  visitor: Visitor,
  origin: string,
  at: number,
) => Promise<ApiResult<SiteAnswer<"PreviewLink">>>;

/** `GET /api/cms/outline`: the current pages of the site, drafts too. `at`: milliseconds since the epoch. */
export type LoadOutline = (env: Bindings, at: number) => Promise<ApiResult<SiteAnswer<"SiteOutline">>>;

const TYPES = ["site", "page", "entry"] as const;

export function mountPreviewLink(
  app: Hono<HttpEnv>,
  mint: MintPreviewLink,
  deps: Pick<Deps, "now" | "config" | "admins">,
): void {
  const { now, config } = deps;
  route(app, "/api/cms/preview-link", {
    GET: {
      scopes: ["send"],
      summary: "Makes a temporary link to drafts.",
      query: {
        type: "site, page or entry",
        id: "of a page or an entry",
        environment: "id of another one than the deployment's own",
        set: "id of a change set: the drafts as it makes them",
      },
      answers: { 200: siteAnswer("PreviewLink") },
      handle: async (c) => {
        const type = TYPES.find((known) => known === c.req.query("type"));
        const id = c.req.query("id") ?? null;
        if (type === undefined || (id === null ? type !== "site" : !ID_PATTERN.test(id)))
          return refuse(c, invalid("type is site, page or entry; page and entry need an id."));
        const environment = c.req.query("environment") ?? null;
        if (environment !== null && !ID_PATTERN.test(environment)) return refuse(c, NOT_FOUND);
        const set = c.req.query("set") ?? null;
        if (set !== null && !ID_PATTERN.test(set)) return refuse(c, NOT_FOUND);
        const origin = config.publicUrl ?? new URL(c.req.url).origin;
        return answer(
          c,
          await mint(c.env, { type, id, environment, set }, visitorOf(c.var.actor, deps), origin, now()),
        );
      },
    },
  });
}

export function mountOutline(
  app: Hono<HttpEnv>,
  load: LoadOutline,
  { now }: { readonly now: () => number },
): void {
  route(app, "/api/cms/outline", {
    GET: {
      scopes: ["send"],
      summary: "Lists all pages, and the home page's hero title.",
      answers: { 200: siteAnswer("SiteOutline") },
      handle: async (c) => answer(c, await load(c.env, now())),
    },
  });
}
