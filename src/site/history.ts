import * as z from "zod";
import { err, ok } from "../core/log/result.ts";
import type { Visitor } from "../core/guards/site-access.ts";
import type { Deps } from "../http/kit/deps.ts";
import { NOT_FOUND } from "../http/kit/responses.ts";
import { refusedAs } from "../http/site/tool-refusal.ts";
import { ToolError } from "../tools/define.ts";
import { readHistory } from "../tools/cms/history/history.ts";
import { needOf, planUndo } from "../tools/cms/history/undo.ts";
import { OWN_ENVIRONMENT } from "../tools/cms/model/environment.ts";
import { fail } from "../tools/cms/model/errors.ts";
import type { CmsContext, CmsServices } from "../tools/cms/model/types.ts";
import { servicesOf } from "../tools/cms/pack.ts";
import { runKeyed } from "../tools/cms/storage/commit.ts";
import { undoneAnswer } from "../wire/site/answers.ts";
import { findEnvironment } from "../tools/cms/storage/environments.ts";
import { loadEnvironment } from "../tools/cms/storage/load.ts";
import { NOT_CONFIGURED } from "./preview-link.ts";

type SiteHistory = NonNullable<Deps["history"]>;
type Result<Value> = { readonly ok: true; readonly value: Value } | Refused;
type Refused = Extract<Awaited<ReturnType<SiteHistory["read"]>>, { ok: false }>;

/** What is stored under a key, whoever reads it again. */
const undone = undoneAnswer()
  .omit({ operation: true, notes: true })
  .extend({ notes: z.array(z.string()).default([]), replayed: z.boolean().default(false) });

/** The history of the site at the doors: read and taken back by a person, in no run. */
export function createHistory(seed: (env: Env, now: number) => Promise<void>): SiteHistory {
  const within = async <Value>(
    env: Env,
    { environment, visitor }: { readonly environment: string | null; readonly visitor: Visitor },
    at: number,
    act: (services: CmsServices) => Promise<Value>,
  ): Promise<Result<Value>> => {
    await seed(env, at);
    const services = servicesOf(env);
    if (services === null) return err(NOT_CONFIGURED);
    const found = await findEnvironment(services.db, environment ?? OWN_ENVIRONMENT, visitor);
    if (found === null) return err(environment === null ? NOT_CONFIGURED : NOT_FOUND);
    try {
      return ok(await act({ ...services, env: found.environmentId, actor: `user:${visitor.subject}` }));
    } catch (error) {
      if (error instanceof ToolError) return err(refusedAs(error.failure));
      throw error;
    }
  };
  return {
    read: (env, wish, at) =>
      within(env, wish, at, async (services) => {
        const { items, nextCursor = null } = await readHistory(services, wish.input, wish.session ?? "");
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
              ...{ undoes, undoneBy, isUndo, revision },
              changes: changes === null ? null : [...changes],
            }),
          ),
          nextCursor,
        };
      }),
    undo: (env, { input, key, mayApprove, ...wish }, at) =>
      within(env, wish, at, async (services) => {
        const context: CmsContext = {
          ...{ key, call: "", attempt: 1, at, services, approved: null },
          signal: new AbortController().signal,
          facts: { session: "", run: "", subject: wish.visitor.subject },
          ...{ log: () => {}, progress: () => {} },
        };
        const done = await runKeyed({
          tool: "undo",
          input,
          context,
          plan: () => planUndo(input, context),
          // Who presses the button decides, if they may.
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
