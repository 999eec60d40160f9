import { digestOf } from "../../../cairn/core/log/digest.ts";
import { type JsonObject, toJson } from "../../../cairn/core/log/json.ts";
import { complaintOf, createRedactor } from "../../../cairn/core/text/redact.ts";
import type { ToolError } from "../../../cairn/tools/define.ts";
import { bytesOf } from "../model/validate.ts";
import { fail, type CmsCode } from "../model/errors.ts";
import { OWN_ENVIRONMENT } from "../model/environment.ts";
import {
  type CmsContext,
  type CmsServices,
  type Operation,
  type Plan,
  DOCUMENT_BYTES_MAX,
  RESULT_BYTES_MAX,
  type Projection,
} from "../model/types.ts";
import {
  changeStatements,
  checkChanges,
  guardsOf,
  guardStatements,
  stateGuardStatements,
  revisionStatements,
  boundJson,
  chunks,
} from "./changes.ts";
import { noticeStatement } from "./notices.ts";
import { editStatements, touchedStatements } from "./change-sets.ts";
import { rowsOf } from "./rows.ts";
import { objectIn, text } from "../model/columns.ts";
import { documentsOf, setStatements } from "./set-rows.ts";
import { changesNothing, unchangedAnswer } from "./unchanged.ts";
import { logError } from "../../../cairn/operator-log.ts";

/**
 * The keyed write. Owns: one operation per key, in one batch, all or nothing. Always holds: a row of
 * `operations` exists exactly when all of its changes, revisions and projections do.
 */

/** Plans are made again this often when someone else wrote in between. */
const ATTEMPTS_MAX = 3;

/** Reasons why an operation's batch may fail. */
type CommitFailure =
  | "duplicate_key"
  | "version_conflict"
  | "state_conflict"
  | "slug_taken"
  | "order_conflict"
  | "not_found"
  | "unavailable";

const SLUG_HELD =
  /pages\.env_id, pages\.slug|entries\.collection_id, entries\.slug|collections\.env_id, collections\.slug/;

/** Why a batch failed, by D1's message. */
export function classify(error: unknown): CommitFailure {
  const message =
    error instanceof Error
      ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ""}`
      : String(error);
  if (message.includes("UNIQUE constraint failed: operations.key")) return "duplicate_key";
  if (message.includes("CHECK constraint failed: version_conflict")) return "version_conflict";
  if (message.includes("CHECK constraint failed: state_conflict")) return "state_conflict";
  if (SLUG_HELD.test(message)) return "slug_taken";
  if (/sections\.page_id, sections\.sort_key|index 'ux_nav_order'/.test(message)) return "order_conflict";
  if (message.includes("change_sets.env_id, change_sets.session_id")) return "state_conflict";
  // The same bytes, or the same stock photo, came in twice at once: planned again, the second finds the first.
  if (/images\.env_id, images\.(sha256|source_ref)/.test(message)) return "order_conflict";
  if (message.includes("FOREIGN KEY")) return "not_found";
  return "unavailable";
}

/** All lines of an impact, what must not be missed last. */
export const impactLines = ({ lines, warnings = [] }: Plan<unknown>["impact"]): string[] => [
  ...lines,
  ...warnings,
];

/** The digest of a plan as a person saw it, and of the versions that it was made from. */
export function basisOf(plan: Plan<unknown>, env: string): string {
  const { title, summary } = plan.impact;
  return digestOf({
    title,
    summary,
    lines: impactLines(plan.impact),
    versions: guardsOf(plan.changes, plan.guards ?? [], env),
    ...(plan.changeSet === undefined ? {} : { changeSet: { ...plan.changeSet } }),
  });
}

/** The statements of an operation, in the order in which they must run: its row first, because the guards are its columns. */
export function operationStatements(
  services: CmsServices,
  operation: Operation,
  plan: Plan<object>,
): D1PreparedStatement[] {
  const { db, env, changeSet } = services;
  const { key, at } = operation;
  checkPlan(plan);
  const result = JSON.stringify(toJson(plan.result));
  // The operations of an open set are those of the set, not of the environment: no history but its own shows them.
  const scope = changeSet?.id ?? env;
  const live = changeSet?.live ?? db;
  return [
    live
      .prepare(
        `INSERT INTO operations(key,env_id,tool,args_digest,result,actor,session_id,run_id,approval_id,summary,created_at,undo_of)
         VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)`,
      )
      .bind(
        key,
        scope,
        operation.tool,
        operation.argsDigest,
        result,
        operation.actor,
        operation.session,
        operation.run,
        operation.approval,
        plan.impact.summary,
        at,
        plan.undoes ?? null,
      ),
    ...guardStatements(db, guardsOf(plan.changes, plan.guards ?? [], env), key),
    ...stateGuardStatements(db, plan.stateGuards ?? [], key),
    ...(changeSet === undefined
      ? [
          ...changeStatements(services, plan.changes, at),
          ...projectionStatements(services, plan.projection, at),
        ]
      : [
          ...touchedStatements(live, changeSet.id, key, at),
          ...setStatements(services, changeSet, plan.changes, plan.projection, at),
          ...projectionStatements(
            { ...services, db: live, env: changeSet.id },
            documentsOf(plan.projection),
            at,
          ),
        ]),
    ...revisionStatements({ ...services, db: live }, plan.changes, key, at, scope),
    ...(plan.undoes === undefined
      ? []
      : [
          live
            .prepare("UPDATE operations SET undone_by=?1 WHERE key=?2 AND env_id=?3")
            .bind(key, plan.undoes, scope),
        ]),
    ...(plan.changeSet === undefined ? [] : editStatements(services, operation, plan.changeSet)),
    ...(plan.notice === undefined ? [] : [noticeStatement(live, plan.notice, at)]),
    ...(plan.impact.public && changeSet === undefined
      ? [db.prepare("UPDATE environments SET epoch=epoch+1 WHERE id=?1").bind(env)]
      : []),
  ];
}

/** Refuses `too_large` for a plan that could not be written, before a person is asked about it and before it waits for its time. */
export function checkPlan(plan: Plan<object>): void {
  if (bytesOf(JSON.stringify(toJson(plan.result))) > RESULT_BYTES_MAX)
    throw fail("too_large", "The answer of this operation is too large to be kept.", {
      hint: "Do it in several parts.",
    });
  checkChanges(plan.changes);
  for (const change of plan.changes) {
    if (change.type !== "published" || change.after === null) continue;
    if (bytesOf(JSON.stringify(change.after.document)) > DOCUMENT_BYTES_MAX) {
      throw fail("too_large", "The published document would be over 512 KB.", { hint: "Split the page." });
    }
  }
}

/** Writes a plan as one operation. Answers why it could not, having written nothing. */
export async function commitPlan(
  services: CmsServices,
  operation: Operation,
  plan: Plan<object>,
): Promise<"written" | CommitFailure> {
  const statements = operationStatements(services, operation, plan);
  try {
    await services.db.batch(statements);
    return "written";
  } catch (error) {
    const why = classify(error);
    if (why === "unavailable")
      logError("the site was not written", operation.key, complaintOf(error, createRedactor([])));
    return why;
  }
}

/** The stored answer of a key, marked as one; `null` when the key is new. Refuses `idempotency_mismatch` for other arguments. */
async function replay(
  services: CmsServices,
  key: string,
  tool: string,
  argsDigest: string,
): Promise<JsonObject | null> {
  const [row] = await rowsOf(services, "SELECT tool, args_digest, result FROM operations WHERE key=?1", key);
  if (row === undefined) return null;
  if (text(row, "tool") !== tool || text(row, "args_digest") !== argsDigest) {
    throw fail("idempotency_mismatch", "This key was used for another call.", {
      hint: "Use a new key for a new call.",
    });
  }
  return { ...objectIn(row, "result"), replayed: true };
}

interface KeyedRun<Output extends object> {
  readonly tool: string;
  readonly input: unknown;
  readonly context: CmsContext;
  readonly plan: () => Promise<Plan<Output>>;
  /** whether a person must have approved this plan */
  readonly needsApproval: (plan: Plan<Output>) => Promise<boolean>;
}

/**
 * Runs a keyed write: returns the stored result if the key is known; else plans, compares with the approved basis,
 * and commits. A plan without changes is not written: its key stays unknown, and the same call again is planned
 * again. A conflict with another writer is planned again, unless a person approved or the caller named a version:
 * then it is `approval_stale` or `version_conflict`.
 */
export async function runKeyed<Output extends object>(run: KeyedRun<Output>): Promise<Output | JsonObject> {
  const { tool, input, context } = run;
  const { services, approved } = context;
  const operation: Operation = {
    key: context.key,
    tool,
    argsDigest: digestOf({ tool, input }),
    actor: services.actor ?? `agent:${context.facts.session}`,
    // A person who acts on the page does so in no run.
    session: context.facts.session || null,
    run: context.facts.run || null,
    approval: approved?.approval ?? null,
    at: context.at,
  };
  const done = await replay(services, operation.key, tool, operation.argsDigest);
  if (done !== null) return done;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const plan = await run.plan();
    if (changesNothing(plan)) return unchangedAnswer(plan.result);
    if (approved !== null && approved.basis !== null && approved.basis !== basisOf(plan, services.env))
      throw stale(plan);
    if (approved === null && (await run.needsApproval(plan))) throw stale(plan);
    const outcome = await commitPlan(services, operation, plan);
    if (outcome === "written") return plan.result;
    if (outcome === "duplicate_key") {
      const stored = await replay(services, operation.key, tool, operation.argsDigest);
      if (stored !== null) return stored;
    }
    const moved =
      outcome === "version_conflict" || outcome === "order_conflict" || outcome === "state_conflict";
    if (moved && approved !== null) throw stale(plan);
    // `plan` compares an expected version itself, so that planning again either succeeds or names the conflict.
    if (!moved) throw failureFor(outcome);
  }
  throw fail("version_conflict", "Others keep writing to the same things.", {
    hint: "Read them again and repeat the call.",
  });
}

function stale(plan: Plan<object>): ToolError {
  return fail(
    "approval_stale",
    "What this call would do is not what was approved: the content has changed since.",
    {
      hint: "Call the tool again; a person is asked about the effect as it is now.",
      details: { summary: plan.impact.summary, impact: impactLines(plan.impact) },
    },
  );
}

const FAILURES: Partial<Record<CommitFailure, readonly [CmsCode, string, string]>> = {
  slug_taken: ["slug_taken", "The slug was taken in the meantime.", "Choose another slug."],
  not_found: [
    "not_found",
    "Something that this call refers to was removed in the meantime.",
    "Read it again.",
  ],
};

function failureFor(outcome: CommitFailure): ToolError {
  const [code, message, hint] = FAILURES[outcome] ?? [
    "unavailable",
    "The database did not take the operation; nothing is known to be written.",
    "Repeat the call: its key settles whether it was written.",
  ];
  return fail(code, message, { hint });
}

/** The projections of the owners touched: the old ones go, the new ones come. */
export function projectionStatements(
  { db, env }: CmsServices,
  projection: Projection,
  at: number,
): D1PreparedStatement[] {
  const { clearOwners, clearRoots, refs, clearDocuments, documents } = projection;
  const statements: D1PreparedStatement[] = [];
  const add = (sql: string, rows: readonly unknown[], ...values: (string | number)[]) => {
    for (const some of chunks(rows)) statements.push(db.prepare(sql).bind(boundJson(some), ...values));
  };
  add(
    `DELETE FROM asset_refs WHERE (owner_type,owner_id,state) IN
      (SELECT value->>'type', value->>'id', value->>'state' FROM json_each(?1)) AND env_id=?2`,
    clearOwners,
    env,
  );
  add(
    `DELETE FROM asset_refs WHERE (root_type,root_id,state) IN
      (SELECT value->>'type', value->>'id', value->>'state' FROM json_each(?1)) AND env_id=?2`,
    clearRoots,
    env,
  );
  add(
    `INSERT INTO asset_refs(target_type,target_id,owner_type,owner_id,root_type,root_id,state,locale,path,env_id)
     SELECT value->>'targetType', value->>'targetId', value->>'ownerType', value->>'ownerId', value->>'rootType',
       value->>'rootId', value->>'state', value->>'locale', value->>'path', ?2 FROM json_each(?1)
     WHERE true ON CONFLICT DO NOTHING`,
    refs,
    env,
  );
  // Only what is not written again is deleted: the others are updated in place and keep their row id.
  const current = documents.map((one) => documentKey(one.kind, one.refId, one.locale, env));
  const cleared = clearDocuments.map((one) => ({
    ...one,
    kept: current.filter((key) => key.startsWith(`${one.kind}:${one.id}:`)),
  }));
  add(
    `DELETE FROM search_docs WHERE +env_id=?2 AND id IN (SELECT d.id FROM json_each(?1) j
       JOIN search_docs d ON d.doc_key>=(j.value->>'kind')||':'||(j.value->>'id')||':'
         AND d.doc_key<(j.value->>'kind')||':'||(j.value->>'id')||';'
      WHERE d.doc_key NOT IN (SELECT value FROM json_each(j.value,'$.kept')))`,
    cleared,
    env,
  );
  add(
    `INSERT INTO search_docs(doc_key,env_id,kind,ref_id,locale,status,title,slug,body,parent_id,updated_at)
     SELECT value->>'key', ?2, value->>'kind', value->>'refId', value->>'locale', value->>'status', value->>'title',
       value->>'slug', value->>'body', value->>'parentId', ?3 FROM json_each(?1) WHERE true
     ON CONFLICT(doc_key) DO UPDATE SET status=excluded.status, title=excluded.title, slug=excluded.slug, body=excluded.body,
       parent_id=excluded.parent_id, updated_at=excluded.updated_at,
       embedded_at=CASE WHEN title=excluded.title AND body=excluded.body THEN embedded_at END`,
    documents.map((one) => ({ key: documentKey(one.kind, one.refId, one.locale, env), ...one })),
    env,
    at,
  );
  return statements;
}

/** Templates are those of all environments, under one id; in each they are found by themselves. */
function documentKey(kind: string, id: string, locale: string, environment: string): string {
  const own = environment === OWN_ENVIRONMENT;
  return own ? `${kind}:${id}:${locale}` : `${kind}:${id}:${locale}@${environment}`;
}
