import * as z from "zod";
import type { SessionRequest } from "../session-request.ts";

/** Decisions that a session remembers: what holds from now on, and how it is taken back. */

export interface Remembered {
  readonly match: "args" | "tool";
  readonly seconds: number;
}

const WHICH = { args: "the same call", tool: "every call of this tool" } as const;

/** Explains a remembered approval to the person who gave it. */
export function rememberedWords(tool: string, { match, seconds }: Remembered): string {
  const minutes = Math.round(seconds / 60);
  const time = minutes === 60 ? "an hour" : `${minutes} minutes`;
  return `Remembered for ${time}: in this session ${WHICH[match]} (${tool}) is approved without asking. /forget revokes this.`;
}

const session = z.object({
  policies: z.array(
    z.object({ id: z.string(), tool: z.string(), match: z.enum(["args", "tool"]), decision: z.string() }),
  ),
});

/** Revokes every remembered decision. Returns the result as text; never throws. */
export async function forgetAll(request: SessionRequest): Promise<string> {
  const looked = await request("GET", "");
  if (!looked.ok) return `Nothing was forgotten. ${looked.why.text}`;
  const policies = session.safeParse(looked.body).data?.policies ?? [];
  if (policies.length === 0) return "No decision is remembered here.";
  const lines = await Promise.all(
    policies.map(async ({ id, tool, match, decision }) => {
      const what = `the ${decision === "deny" ? "denial" : "approval"} of ${WHICH[match]} (${tool})`;
      const revoked = await request("DELETE", `/policies/${encodeURIComponent(id)}`);
      return revoked.ok ? `Forgotten: ${what}.` : `Still remembered: ${what}. ${revoked.why.text}`;
    }),
  );
  return lines.join("\n");
}
