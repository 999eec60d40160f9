import type { NamedSession } from "../people/chats.ts";
import { escapeMarkdown } from "../text/plain.ts";
import type { Actor } from "../../../cairn/session/api/session-api.ts";
import { hasScope } from "../../../cairn/http/kit/credentials.ts";
import { listSessions } from "../../../cairn/http/kit/index-reader.ts";

/** `/sessions` lists a person's last sessions with numbers; `/sessions 2` switches the chat to the second one. */

const LISTED_MAX = 10;

interface SessionsAnswer {
  readonly words: string;
  /** the session that the chat goes on with; absent where nothing changes */
  readonly goesOn?: NamedSession;
}

export async function sessionsWords(
  db: D1Database,
  actor: Actor,
  { isGroup }: { readonly isGroup: boolean },
  args: string,
): Promise<SessionsAnswer> {
  // A list of sessions is private.
  if (isGroup) return { words: "Write that to me alone, where no one else reads it." };
  if (!hasScope(actor, "read"))
    return { words: "You may not read sessions: your token lacks the scope “read”." };
  const query = { owner: actor.subject, q: null, archived: false, status: null, before: null };
  const { items } = await listSessions(db, { ...query, limit: LISTED_MAX });
  if (items.length === 0) return { words: "You have no sessions yet. Say what is to be done." };
  const wanted = args.trim();
  if (wanted === "") {
    const lines = items.map(({ title, status }, at) => `${at + 1}. ${escapeMarkdown(title)} (${status})`);
    return { words: [...lines, "", "`/sessions 2` goes on with the second one here."].join("\n") };
  }
  const found = /^[1-9]\d?$/.test(wanted) ? items[Number(wanted) - 1] : undefined;
  if (found === undefined)
    return { words: `There is no such number: you have ${items.length}. \`/sessions\` lists them.` };
  return {
    words: `This chat goes on with “${escapeMarkdown(found.title)}”.`,
    goesOn: { session: found.id, sessionAt: Date.parse(found.createdAt) },
  };
}
