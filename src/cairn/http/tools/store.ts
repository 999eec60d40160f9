import { loadOpenApi } from "../../../../build/modules/openapi.ts";
import { startOf } from "../../core/text/cut.ts";
import type * as z from "zod";
import { roleOf } from "../../core/guards/permissions.ts";
import { isListedName } from "../../core/guards/named-tools.ts";
import { isReserved } from "../../core/log/names.ts";
import { toJson, isObject, type JsonObject } from "../../core/log/json.ts";
import { err, ok } from "../../core/log/result.ts";
import { refusal, type Actor, type ApiError, type ApiResult } from "../../session/api/session-api.ts";
import { namedIn, readSecrets, refusalOf } from "../../tools/requests/secrets.ts";
import { definitionSchema, splitTemplate, type ToolDefinitionData } from "../../tools/stored/definition.ts";
import type { ImportOptions } from "../../tools/stored/openapi.ts";
import { storedTool } from "../../tools/stored/pack.ts";
import { cardOf } from "../../tools/card.ts";
import {
  definitionOf,
  deleteRow,
  findRow,
  listRows,
  toolOf,
  TOOLS_STORED_MAX,
  writeRows,
  type StoredRow,
} from "../../tools/stored/rows.ts";
import type { Registry } from "../../tools/registry.ts";
import type { Answer } from "../../protocol/api.ts";
import { isoTime } from "../../protocol/stream/ui-chunk.ts";

/** The stored tools of a deployment, as the routes show and change them. */

type View = Answer<"StoredTool">;

export interface ToolStore {
  list(): Promise<readonly View[]>;
  find(name: string): Promise<ApiResult<View>>;
  put(
    actor: Actor,
    name: string,
    definition: ToolDefinitionData,
    ifVersion: number | null,
    at: number,
  ): Promise<ApiResult<View>>;
  remove(actor: Actor, name: string, ifVersion: number | null): Promise<ApiResult<null>>;
  take(
    actor: Actor,
    request: ImportOptions & { readonly document: Readonly<Record<string, unknown>> },
    at: number,
  ): Promise<ApiResult<Answer<"ImportedTools">>>;
}

export interface ToolStoreDeps {
  readonly db: D1Database;
  /** of the code, without the stored ones */
  readonly code: () => Registry;
  readonly admins: Parameters<typeof roleOf>[1];
  /** what the requests of tools may carry (HTTP_SECRETS) */
  readonly secrets?: unknown;
  /** what has been stored is read anew */
  readonly changed: () => Promise<void>;
}

export function createToolStore({ db, code, admins, secrets, changed }: ToolStoreDeps): ToolStore {
  const view = (row: StoredRow): View => {
    const { name, version, source, updatedAt, updatedBy } = row;
    const tool = toolOf(row);
    const card = tool === null ? null : cardOf(storedTool(tool) as never, "stored");
    const { approval: _approval, ...rest } = { approval: null, ...definitionOf(row) };
    return {
      name,
      version,
      source,
      definition: definitionOf(row),
      effect: card?.effect ?? null,
      tier: card?.tier ?? null,
      approval: card?.gate ?? null,
      problem:
        tool === null
          ? `It cannot be read by this release: ${Object.keys(rest).join(", ")}`
          : secretProblem(tool.definition, secrets),
      updatedAt: isoTime(updatedAt),
      updatedBy,
    };
  };
  const codeNames = (): ReadonlySet<string> => {
    const registry = code();
    return new Set([
      ...registry.cards().map(({ name }) => name),
      ...registry.notOffered().map(({ tool }) => tool),
    ]);
  };
  const isOfCode = (name: string, names: ReadonlySet<string>): boolean =>
    names.has(name) || isReserved(name) || isListedName(name, code().listedNames()) || UNNAMED.has(name);
  const isAdmin = (actor: Actor): boolean => roleOf(actor, admins) === "admin";
  const find = async (name: string): Promise<ApiResult<View>> => {
    const row = await findRow(db, name);
    return row === null ? err(NO_TOOL) : ok(view(row));
  };
  return {
    list: async () => (await listRows(db)).map(view),
    find,
    put: async (actor, name, definition, ifVersion, at) => {
      if (!isAdmin(actor)) return err(NOT_AN_ADMIN);
      if (isOfCode(name, codeNames())) return err(NAME_OF_CODE);
      const write = { name, body: JSON.stringify(definition), source: null };
      const written = await writeRows(db, [write], { subject: actor.subject, at, ifVersion });
      if (written.kind !== "written") return err(REFUSED[written.kind]);
      await changed();
      return find(name);
    },
    remove: async (actor, name, ifVersion) => {
      if (!isAdmin(actor)) return err(NOT_AN_ADMIN);
      const done = await deleteRow(db, name, ifVersion);
      if (done === "missing") return err(NO_TOOL);
      if (done !== "deleted") return err(CHANGED);
      await changed();
      return ok(null);
    },
    take: async (actor, { document, ...options }, at) => {
      if (!isAdmin(actor)) return err(NOT_AN_ADMIN);
      const json = toJson(document);
      const rows = await listRows(db);
      const names = codeNames();
      const title = titleOf(json);
      const { importOpenApi } = await loadOpenApi();
      const others = new Set(rows.filter(({ source }) => source !== title).map(({ name }) => name));
      const imported = isObject(json)
        ? importOpenApi(json, options, (name) => others.has(name) || isOfCode(name, names))
        : null;
      if (imported === null) return err(NO_DOCUMENT);
      const known = new Set(rows.map(({ name }) => name));
      let slots = TOOLS_STORED_MAX - known.size;
      const taken = imported.tools.filter(({ name }) => known.has(name) || (slots -= 1) >= 0);
      const left = imported.tools.filter((tool) => !taken.includes(tool));
      if (taken.length === 0)
        return err({
          ...(left.length > 0 ? TOO_MANY : NOTHING_TO_TAKE),
          issues: issuesOfLeft(imported.left),
        });
      const writes = taken.map(({ name, definition }) => ({
        name,
        body: JSON.stringify(definitionSchema.parse(definition)),
        source: imported.title,
      }));
      const written = await writeRows(db, writes, { subject: actor.subject, at, ifVersion: null });
      if (written.kind !== "written") return err(REFUSED[written.kind]);
      await changed();
      return ok({
        title: imported.title,
        items: taken.map(({ name, operation }, index) => ({
          name,
          operation,
          version: written.versions[index] ?? 1,
        })),
        left: [
          ...imported.left,
          ...left.map(({ operation }) => ({
            operation,
            why: `A deployment stores at most ${TOOLS_STORED_MAX} tools: name the operations that you need.`,
          })),
        ],
      });
    },
  };
}

/** The reason why a request of this tool would be refused for its secrets, or null. */
function secretProblem({ url, headers = {} }: ToolDefinitionData, given: unknown): string | null {
  const names = namedIn(headers);
  if (names.length === 0) return null;
  const secrets = readSecrets(given);
  if (secrets === null) return "HTTP_SECRETS cannot be read, so no request of it is sent.";
  const origin = splitTemplate(url)?.origin;
  if (origin === undefined) return null;
  const faults = names.flatMap((name) => refusalOf(name, new URL(origin), secrets) ?? []);
  return faults.length === 0 ? null : `${faults.join(" ")} An operator sets HTTP_SECRETS.`;
}

/** parts of addresses below `/api/tools` */
const UNNAMED: ReadonlySet<string> = new Set(["import", "stored"]);
const ISSUES_MAX = 50;

const titleOf = (json: unknown): string => {
  const { info } = (isObject(json as JsonObject) ? json : {}) as JsonObject;
  const title = isObject(info) && typeof info["title"] === "string" ? startOf(info["title"].trim(), 100) : "";
  return title === "" ? "OpenAPI" : title;
};

const issuesOfLeft = (left: readonly { readonly operation: string; readonly why: string }[]) =>
  left
    .slice(0, ISSUES_MAX)
    .map(({ operation, why }) => ({ path: operation, code: "unsupported", message: why }));

export const issuesIn = (refused: ApiError, error: z.ZodError): ApiError => ({
  ...refused,
  issues: error.issues
    .slice(0, ISSUES_MAX)
    .map(({ path, code, message }) => ({ path: path.map(String).join("."), code, message })),
});

const NO_TOOL = refusal(
  404,
  "not_found",
  "There is no such stored tool.",
  "GET /api/tools/stored lists them.",
);
const NOT_AN_ADMIN = refusal(
  403,
  "missing_scope",
  "Only an admin of this deployment may change its tools.",
  "`admins` in src/agents/default.ts names them.",
);
const NAME_OF_CODE = refusal(
  409,
  "id_taken",
  "A tool of this name is part of the deployment.",
  "Choose another name.",
);
const CHANGED = refusal(412, "version_mismatch", "The tool was changed meanwhile.", "Load it again.");
const TOO_MANY = refusal(
  409,
  "too_many_tools",
  `This deployment stores as many tools as it may (${TOOLS_STORED_MAX}).`,
  "Delete one of them first, or name the operations that you need.",
);
const REFUSED = { version_mismatch: CHANGED, too_many: TOO_MANY };
const NO_DOCUMENT = refusal(
  422,
  "invalid_import",
  "This is no OpenAPI document of version 2.0, 3.0 or 3.1.",
  "Send it in JSON or YAML (content-type: application/yaml), alone or as `document`.",
);
const NOTHING_TO_TAKE = refusal(
  422,
  "invalid_import",
  "No operation of this document can be a tool.",
  "See issues.",
);
