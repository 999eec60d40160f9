import * as z from "zod";
import type { SiteHistory } from "../../http/site-history.ts";
import { readHistory } from "../../history/history.ts";
import { needOf, planUndo } from "../../history/undo.ts";
import { fail } from "../../model/errors.ts";
import { runKeyed } from "../../storage/commit.ts";
import { loadEnvironment } from "../../storage/load.ts";
import { undoneAnswer } from "../../protocol/answers.ts";
import { byHand, onSite, type Seed } from "./on-site.ts";

/** The stored result of an undo, for every reader. */
const undone = undoneAnswer()
  .omit({ operation: true, notes: true })
  .extend({ notes: z.array(z.string()).default([]), replayed: z.boolean().default(false) });

/** The history of the site at the doors: read and taken back by a person, in no run. */
export function createHistory(seed: Seed): SiteHistory {
  return {
    read: (env, request, at) =>
      onSite(seed, env, request, at, async (services) => {
        const { items, nextCursor = null } = await readHistory(
          services,
          request.input,
          request.visitor,
          request.session ?? "",
        );
        return {
          items: items.map(
            ({
              undoes = null,
              undoneBy = null,
              isUndo = false,
              revision = null,
              changes = null,
              ...one
            }) => ({
              ...one,
              undoes,
              undoneBy,
              isUndo,
              revision,
              changes: changes === null ? null : [...changes],
            }),
          ),
          nextCursor,
        };
      }),
    undo: (env, { input, key, mayApprove, ...request }, at) =>
      onSite(seed, env, request, at, async (services) => {
        const context = byHand(services, { key, subject: request.visitor.subject, at });
        const done = await runKeyed({
          tool: "undo",
          input,
          context,
          plan: () => planUndo(input, context),
          // The person who presses the button decides, if they may.
          needsApproval: async (plan) => {
            const asks = needOf(plan).need === "human" || (await loadEnvironment(services)).isProtected;
            if (asks && !mayApprove)
              throw fail(
                "forbidden",
                "This changes what visitors see, or deletes: it needs the scope approve.",
                {
                  hint: "Use a token that has it, or ask in a session: somebody else is asked then.",
                },
              );
            return false;
          },
        });
        return { operation: key, ...undone.parse(done) };
      }),
  };
}
