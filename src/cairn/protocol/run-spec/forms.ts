import { PRESETS, type PresetName } from "../../core/guards/budget/profiles.ts";
import { OBJECTIVE } from "../../core/log/run-spec.ts";
import { canonicalJson } from "../../core/log/json.ts";
import type { SpecWarning } from "../../core/log/run-spec.ts";
import { pathText, type Issue } from "../issues.ts";
import { issueAt, unknownField } from "./faults.ts";
import { FIELD_NAMES, isField, type FieldName } from "./shape.ts";

/**
 * The forms of a run specification: flat, under `config`, or as the loop of a workflow,
 * `{"type":"loop","properties":{"mode":"react",…}}`. They become one flat object, and each field remembers its original
 * path.
 */

/** what else a field is called */
const ALIASES: Readonly<Record<string, FieldName>> = {
  available_tools: "tools",
  available_actions: "tools",
  objectiveTemplate: "objective_template",
};
/** what holds fields */
const HOLDERS: readonly string[] = ["config", "properties"];
/** what a step of a workflow is called there; a run has no use for it */
const LABELS: readonly string[] = ["name", "action", "id", "description"];
const KNOWN_KEYS = [...FIELD_NAMES, ...Object.keys(ALIASES), "config"];

export interface Flat {
  readonly fields: ReadonlyMap<FieldName, { readonly value: unknown; readonly path: string }>;
  readonly issues: readonly Issue[];
  readonly warnings: readonly SpecWarning[];
}

export function flatten(body: unknown): Flat {
  const fields = new Map<FieldName, { value: unknown; path: string }>();
  const issues: Issue[] = [];
  const warnings: SpecWarning[] = [];
  const take = (name: FieldName, value: unknown, path: string): void => {
    const before = fields.get(name);
    if (before === undefined) fields.set(name, { value, path });
    else if (canonicalJson(before.value) !== canonicalJson(value))
      issues.push(
        issueAt(path, "duplicate_setting", `This and ${before.path} say different things: keep one.`),
      );
  };
  let loop: string | null = null;
  const read = (holder: unknown, at: readonly string[]): void => {
    if (typeof holder !== "object" || holder === null || Array.isArray(holder)) {
      issues.push(issueAt(pathText(at), "wrong_type", "It must be an object."));
      return;
    }
    const entries = Object.entries(holder);
    const isLoop = entries.some(([key, value]) => key === "type" && value === "loop");
    for (const [key, value] of entries) {
      const here = [...at, key];
      const path = pathText(here);
      const alias = Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined;
      if (isField(key)) take(key, value, path);
      else if (alias !== undefined) take(alias, value, path);
      else if (HOLDERS.includes(key)) read(value, here);
      else if (key === "type") {
        oneMode(value, "loop", path, issues);
        if (isLoop) loop ??= path;
      } else if (key === "mode") oneMode(value, "react", path, issues);
      else if (isLoop && LABELS.includes(key) && typeof value === "string")
        warnings.push({ code: "not_used", path, message: "A run has no such label; it is left out." });
      else issues.push(unknownField(path, key, KNOWN_KEYS, issues.length));
    }
  };
  read(body, []);
  if (loop !== null && !fields.has("preset") && !isPreset(fields.get("profile")?.value))
    fields.set("preset", { value: LOOP_PRESET, path: loop });
  const asTemplate = fields.get("objective_template");
  // A template that holds no place for the objective is the objective itself.
  if (asTemplate !== undefined && !fields.has("objective") && !holdsObjective(asTemplate.value)) {
    fields.set("objective", asTemplate);
    fields.delete("objective_template");
  }
  return { fields, issues, warnings };
}

/** A loop is worked as the system works whose form it is. */
const LOOP_PRESET: PresetName = "hyphen";

const isPreset = (name: unknown): boolean => typeof name === "string" && Object.hasOwn(PRESETS, name);
const holdsObjective = (text: unknown): boolean => typeof text === "string" && text.includes(OBJECTIVE);

function oneMode(value: unknown, only: string, path: string, issues: Issue[]): void {
  if (value === only) return;
  if (typeof value === "string")
    issues.push(issueAt(path, "unsupported_mode", `Only ${only} is possible here.`, only));
  else issues.push(issueAt(path, "wrong_type", "It must be text.", only));
}
