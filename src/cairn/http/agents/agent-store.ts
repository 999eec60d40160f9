import type { Agent } from "../../agents/define.ts";
import { readDefinition, type ReadContext } from "../../agents/stored/read-definition.ts";
import { limitsOf } from "../../core/guards/budget/amounts.ts";
import { PROFILES } from "../../core/guards/budget/profiles.ts";
import { roleOf } from "../../core/guards/permissions.ts";
import { err, ok } from "../../core/log/result.ts";
import { AGENT_CHANGED, KEY_CONFLICT } from "../../session/api/errors.ts";
import { refusal, type Actor, type ApiResult } from "../../session/api/session-api.ts";
import { AGENT_ENTRY, agentTool } from "../../core/family/ask.ts";
import { GovernedTools } from "../../tools/governed.ts";
import type { Registry } from "../../tools/registry.ts";
import type { Answer } from "../../protocol/api.ts";
import { listIssues } from "../../protocol/issues.ts";
import { parseJson } from "../../protocol/json.ts";
import { deleteRow, findRow, listNames, listRows, writeRow, type AgentRow, type AgentWrite } from "./rows.ts";

type AgentView = Answer<"Agents">["items"][number];
type AgentDetail = Answer<"Agent">;

/** The agents of this deployment, as the routes show and change them. */
export interface AgentStore {
  /** null while the stored names are unknown: the session then reports a missing agent. Never throws */
  names(): Promise<readonly string[] | null>;
  /** the files first */
  list(): Promise<readonly AgentView[]>;
  /** null: there is none of this name */
  find(name: string): Promise<AgentDetail | null>;
  put(
    actor: Actor,
    change: AgentChange,
  ): Promise<ApiResult<{ readonly agent: AgentDetail; readonly replayed: boolean }>>;
  remove(actor: Actor, name: string, ifVersion: number | null): Promise<ApiResult<null>>;
}

export interface AgentChange extends Pick<AgentWrite, "name" | "ifVersion" | "idempotency" | "at"> {
  /** as it came */
  readonly body: unknown;
}

export interface AgentStoreDeps {
  readonly db: D1Database;
  readonly files: Readonly<Record<string, Agent>>;
  readonly tools: () => Registry;
  /** awaited before `tools` is asked */
  readonly ready?: () => Promise<void>;
  readonly context: Omit<ReadContext, "tools">;
  /** of the deployment, for agents that name none; null while none can be called */
  readonly modelName: string | null;
  /** a fault, for the operator's log */
  readonly report: (error: unknown) => void;
}

export function createAgentStore({
  db,
  files,
  tools,
  ready,
  context,
  modelName,
  report,
}: AgentStoreDeps): AgentStore {
  const ofFile = (name: string): Agent | null => (Object.hasOwn(files, name) ? (files[name] ?? null) : null);
  const shown = (agent: Agent, registry: Registry) => ({
    description: agent.description,
    tools: [...new GovernedTools(registry, agent.spec).cards().map((card) => card.name), ...agentsIn(agent)],
    model: agent.model ?? modelName,
    limits: {
      ...limitsOf(PROFILES[agent.budget.wanted.profile ?? "standard"]),
      ...agent.budget.wanted.limits,
    },
    problem: null,
  });
  const fileView = (name: string, agent: Agent, registry: Registry): AgentDetail => ({
    name,
    source: "file",
    version: null,
    ...shown(agent, registry),
    definition: null,
    updatedAt: null,
    updatedBy: null,
  });
  const rowView = (row: AgentRow, registry: Registry): AgentDetail => {
    const { name, version, updatedBy } = row;
    const definition = parseJson(row.body) as AgentDetail["definition"];
    const read = readDefinition(definition, { ...context, tools: registry });
    const words = definition?.["description"];
    const broken = {
      description: typeof words === "string" ? words : "",
      tools: [],
      model: null,
      limits: {},
      problem: read.ok ? null : read.error.map(({ path, message }) => `${path}: ${message}`).join(" "),
    };
    return {
      name,
      source: "stored",
      version,
      ...(read.ok ? shown(read.value.agent, registry) : broken),
      definition,
      updatedAt: new Date(row.updatedAt).toISOString(),
      updatedBy,
    };
  };
  const objection = (actor: Actor, name: string) => {
    // An agent names the people who decide approvals, so only an admin may write one.
    if (roleOf(actor, context.admins) !== "admin") return NOT_AN_ADMIN;
    return ofFile(name) === null ? null : ID_OF_FILE;
  };
  return {
    names: async () => {
      try {
        return [...Object.keys(files), ...(await listNames(db))];
      } catch (error) {
        report(error);
        return null;
      }
    },
    list: async () => {
      await ready?.();
      const registry = tools();
      const rows = await listRows(db);
      const views = [
        ...Object.entries(files).map(([name, agent]) => fileView(name, agent, registry)),
        ...rows.filter(({ name }) => ofFile(name) === null).map((row) => rowView(row, registry)),
      ];
      return views.map(({ definition: _definition, updatedAt: _at, updatedBy: _by, ...view }) => view);
    },
    find: async (name) => {
      await ready?.();
      const file = ofFile(name);
      if (file !== null) return fileView(name, file, tools());
      const row = await findRow(db, name);
      return row === null ? null : rowView(row, tools());
    },
    put: async (actor, { name, body, ...wish }) => {
      const objected = objection(actor, name);
      if (objected !== null) return err(objected);
      await ready?.();
      const registry = tools();
      const read = readDefinition(body, { ...context, tools: registry });
      if (!read.ok) return err({ ...INVALID, issues: listIssues(read.error) });
      const text = JSON.stringify(read.value.definition);
      const by = actor.subject;
      const written = await writeRow(db, { name, body: text, by, ...wish });
      if (written.kind !== "written") return err(REFUSED[written.kind]);
      const { version, at, replayed } = written;
      const row = { name, version, body: text, updatedAt: at, updatedBy: by };
      return ok({ agent: rowView(row, registry), replayed });
    },
    remove: async (actor, name, ifVersion) => {
      const objected = objection(actor, name);
      if (objected !== null) return err(objected);
      const done = await deleteRow(db, name, ifVersion);
      if (done === "missing") return err(NO_AGENT);
      return done === "deleted" ? ok(null) : err(AGENT_CHANGED);
    },
  };
}

export const NO_AGENT = refusal(404, "not_found", "There is no such agent.", "GET /api/agents lists them.");
const NOT_AN_ADMIN = refusal(
  403,
  "missing_scope",
  "Only an admin of this deployment may change its agents.",
  "`admins` in src/agents/default.ts names them.",
);
const ID_OF_FILE = refusal(
  409,
  "id_taken",
  "An agent of this name is a file of the deployment.",
  "Choose another name, or change src/agents and deploy.",
);
const TOO_MANY = refusal(
  409,
  "too_many_agents",
  "This deployment stores as many agents as it may.",
  "Delete one of them first.",
);
const REFUSED = { key_conflict: KEY_CONFLICT, version_mismatch: AGENT_CHANGED, too_many: TOO_MANY };
const INVALID = refusal(422, "invalid_agent", "This is not an agent that works here.", "See issues.");

/** The agents that it may call, by the names that their tools have. */
const agentsIn = ({ spec }: Agent): string[] =>
  (spec.tools ?? []).flatMap((name) =>
    name.startsWith(AGENT_ENTRY) ? [agentTool(name.slice(AGENT_ENTRY.length))] : [],
  );
