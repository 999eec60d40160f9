import { ID_PATTERN } from "../../../cairn/core/log/names.ts";
import { siteAnswer } from "../protocol/answers.ts";
import type { Hono } from "hono";
import type { Deps } from "../../../cairn/http/deps.ts";
import { NOT_FOUND } from "../../../cairn/http/kit/responses.ts";
import { answer, refuse, route, type HttpContext, type HttpEnv } from "../../../cairn/http/kit/route.ts";
import { visitorOf } from "./environments.ts";
import { readLibraryImage } from "../media/read-library-image.ts";
import { OWN_ENVIRONMENT } from "../model/environment.ts";
import { withinSite, type Seed } from "./sent-image.ts";

/** An image of the library: `GET /api/images/:imageId`. */
export function mountImages(app: Hono<HttpEnv>, seed: Seed, deps: Deps): void {
  const read = async (c: HttpContext): Promise<Response> => {
    const id = c.req.param("imageId") ?? "";
    const environment = c.req.query("environment") ?? OWN_ENVIRONMENT;
    if (!ID_PATTERN.test(id) || !ID_PATTERN.test(environment)) return refuse(c, NOT_FOUND);
    const visitor = visitorOf(c.var.actor, deps);
    const site = { seed: () => seed(c.env, deps.now()), environment, visitor };
    return answer(c, await withinSite(c.env, site, (services) => readLibraryImage(services, id)));
  };
  route(app, "/api/images/:imageId", {
    GET: {
      scopes: ["read"],
      summary: "Reads an image and where it is used.",
      query: { environment: "id of another one than the deployment's own" },
      answers: { 200: siteAnswer("Image") },
      handle: read,
    },
  });
}
