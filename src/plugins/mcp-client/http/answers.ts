import * as z from "zod";
import type { OwnAnswer } from "../../../cairn/http/kit/route.ts";
import type { Frozen } from "../../../cairn/protocol/api.ts";

/** The answers of the routes of MCP servers. */

const serverAnswer = () =>
  z.object({
    name: z.string(),
    /** a file of the deployment, or stored over the API */
    source: z.enum(["file", "stored"]),
    /** as it is set up, with every default in its place; secrets are their names */
    definition: z.looseObject({ url: z.string() }),
    /** revision of the protocol that it spoke when it was listed; null where it never was */
    protocol: z.string().nullable(),
    listedAt: z.iso.datetime().nullable(),
    /** why it cannot be asked, or could not be the last time; null where it can */
    problem: z.string().nullable(),
    tools: z.array(
      z.object({
        /** as agents and approvals name it */
        name: z.string(),
        /** as the server calls it */
        tool: z.string(),
        title: z.string().nullable(),
        description: z.string(),
        effect: z.enum(["read", "once"]),
        tier: z.enum(["open", "write", "publish", "external", "admin", "danger"]),
        approval: z.enum(["never", "ask", "deny"]),
      }),
    ),
    /** what it lists and is not offered, by its name there; `*` is about all of them */
    left: z.array(z.object({ tool: z.string(), why: z.string() })),
    /** what its last list has in a form that the protocol does not have, and that was read all the same */
    odd: z.array(z.string()),
    /**
     * for a server with sign-in: whose account it is, if the caller or the deployment has signed in, and where to do
     * it
     */
    signIn: z
      .object({ for: z.enum(["deployment", "person"]), signedIn: z.boolean(), path: z.string().nullable() })
      .nullable(),
    updatedAt: z.iso.datetime().nullable(),
    updatedBy: z.string().nullable(),
  });

export type McpServerView = Frozen<z.output<ReturnType<typeof serverAnswer>>>;

export const MCP_SERVER: OwnAnswer = { name: "McpServer", schema: serverAnswer };
export const MCP_SERVERS: OwnAnswer = {
  name: "McpServers",
  schema: () => z.object({ items: z.array(serverAnswer()) }),
};
