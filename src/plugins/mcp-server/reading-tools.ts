import { decidePermission, roleOf } from "../../cairn/core/guards/permissions.ts";
import { toJson } from "../../cairn/core/log/json.ts";
import type { ToolCard } from "../../cairn/core/log/tool.ts";
import { BUILTIN_PACK } from "../../cairn/core/loop/internal-tools.ts";
import { UNTAINTED } from "../../cairn/core/state/safety.ts";
import type { ReadingTools } from "../../cairn/http/deps.ts";
import type { Actor } from "../../cairn/session/api/session-api.ts";

/** The reading tools of the packs, for an assistant that wants to look for itself. They run with its caller's rights, without a run. */

/** Packs whose tools read a session's own data, which only a run has. */
const OF_A_SESSION: ReadonlySet<string> = new Set([BUILTIN_PACK, "messaging", "messages", "files"]);

/**
 * Tools that this caller may read with: those that reach nobody outside, and for a guest only those that read public
 * content. Tools that return text from outside (a search, code that runs, a tool of another server) are for runs
 * only: those have a budget, and fence such text.
 */
export function readingToolsFor(
  tools: Pick<ReadingTools, "cards">,
  actor: Actor,
  admins: readonly string[] | null,
): readonly ToolCard[] {
  const role = actor.scopes.includes("read") || actor.scopes.includes("admin") ? roleOf(actor, admins) : null;
  const asker = {
    role,
    lane: "user",
    scheduled: new Set<string>(),
    autonomyAllowed: new Set<string>(),
  } as const;
  return tools.cards().filter((card) => {
    if (card.effect !== "read" || card.reach !== "none" || card.reads === "outside") return false;
    if (OF_A_SESSION.has(card.pack)) return false;
    const approval = { tool: card.name, seq: 0, send: null, ...card };
    return decidePermission(approval, asker, UNTAINTED).act === "allow";
  });
}

export type Read =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly words: string };

/** One call of such a tool. `id` names it in what is logged. */
export async function read(
  tools: ReadingTools,
  { name }: ToolCard,
  args: unknown,
  {
    id,
    subject,
    at,
    signal,
  }: { readonly id: string; readonly subject: string; readonly at: number; readonly signal: AbortSignal },
): Promise<Read> {
  const checked = tools.check(name, toJson(args));
  if (!checked.ok) return { ok: false, words: failureWords(checked.failure) };
  const order = {
    call: id,
    tool: name,
    input: checked.input,
    key: `mcp/${id}`,
    run: id,
    subject,
    attempt: 1,
    at,
  };
  const outcome = await tools.run({ ...order, approved: null }, signal);
  return outcome.kind === "ok"
    ? { ok: true, text: outcome.text }
    : { ok: false, words: failureWords(outcome.failure) };
}

const failureWords = ({ code, message, hint }: { code: string; message: string; hint?: string }): string =>
  `${code}: ${message}${hint === undefined ? "" : ` ${hint}`}`;
