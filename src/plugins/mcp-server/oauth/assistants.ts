import type { Hono } from "hono";
import * as z from "zod";
import { refusal } from "../../../cairn/session/api/session-api.ts";
import type { Frozen } from "../../../cairn/protocol/api.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import { NOT_FOUND } from "../../../cairn/http/kit/responses.ts";
import {
  type HttpContext,
  type HttpEnv,
  type OwnAnswer,
  refuse,
  route,
} from "../../../cairn/http/kit/route.ts";
import { destinationOf } from "./callback.ts";
import { issuerOf, openAuthorizationServer, type AuthorizationServer } from "./provider.ts";

/** `/api/assistants`: the programs that a person allowed to act for them, and revoking that. Each sees their own. */

/** read at once */
const PAGE = 100;

const NO_ASSISTANT = refusal(
  404,
  "not_found",
  "There is no such assistant.",
  "GET /api/assistants lists yours.",
);

const assistantsAnswer = () => {
  const time = z.iso.datetime();
  return z.object({
    items: z.array(
      z.object({
        id: z.string(),
        /** as it calls itself */
        name: z.string(),
        /** where it was let in; null where that is not known */
        host: z.string().nullable(),
        scopes: z.array(z.string()),
        createdAt: time,
        /** when it has to ask again; null: never */
        expiresAt: time.nullable(),
      }),
    ),
  });
};
export const ASSISTANTS: OwnAnswer = { name: "Assistants", schema: assistantsAnswer };

const metadataSchema = z.object({ name: z.string() });

export function mountAssistants(app: Hono<HttpEnv>, deps: Deps): void {
  const withServer =
    (handle: (c: HttpContext, server: AuthorizationServer, user: string) => Promise<Response>) =>
    async (c: HttpContext): Promise<Response> => {
      const issuer = issuerOf(c.req.raw);
      if (issuer === null) return refuse(c, NOT_FOUND);
      return handle(c, await openAuthorizationServer(c, deps, issuer), userIdOf(c.var.actor.subject));
    };

  const list = withServer(async (_, server, user) => {
    const items = await grantsOf(server, user);
    const body: Frozen<z.output<ReturnType<typeof assistantsAnswer>>> = {
      items: items.map(({ id, metadata, redirectUri, scope, createdAt, expiresAt }) => ({
        id,
        name: metadataSchema.safeParse(metadata).data?.name ?? "",
        host: redirectUri === undefined ? null : destinationOf(redirectUri),
        scopes: scope,
        createdAt: timeOf(createdAt),
        expiresAt: expiresAt === undefined ? null : timeOf(expiresAt),
      })),
    };
    return Response.json(body);
  });

  const remove = withServer(async (c, server, user) => {
    const id = c.req.param("assistantId") ?? "";
    const items = await grantsOf(server, user);
    if (!items.some((each) => each.id === id)) return refuse(c, NO_ASSISTANT);
    await server.api.revokeGrant(id, user);
    return new Response(null, { status: 204 });
  });

  route(app, "/api/assistants", {
    GET: {
      scopes: [],
      summary: "Lists assistants that you allowed.",
      answers: { 200: ASSISTANTS },
      handle: list,
    },
  });
  route(app, "/api/assistants/:assistantId", {
    DELETE: {
      scopes: [],
      summary: "Revokes an assistant at once.",
      answers: { 204: null },
      handle: remove,
    },
  });
}

/** All of them: one that is not seen could not be taken back. */
async function grantsOf({ api }: AuthorizationServer, user: string) {
  const grants: Awaited<ReturnType<typeof api.listUserGrants>>["items"] = [];
  let cursor: string | undefined;
  do {
    const page = await api.listUserGrants(user, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    grants.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return grants;
}

const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** A subject as the package takes it: it parts its keys at colons, and a subject may have some. */
export const userIdOf = (subject: string): string =>
  Array.from(new TextEncoder().encode(subject), (byte) => byte.toString(16).padStart(2, "0")).join("");
