import { err, ok } from "../../core/log/result.ts";
import type { ApiResult, TraceView } from "../../session/api/session-api.ts";
import { invalid } from "./responses.ts";
import { refuse, type HttpContext } from "./route.ts";

/** The trace of a run, asked for by its session or by its own id. */

export const TRACE_QUERY = { format: "json or jsonl", include: "prompts" };

export interface TraceQuery {
  readonly format: "json" | "jsonl";
  readonly prompts: boolean;
}

/** Refuses whatever it does not know. */
export function parseTraceQuery(query: Readonly<Record<string, string>>): ApiResult<TraceQuery> {
  const { include, format = "json", ...others } = query;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return err(invalid(`The query knows no ${unknown}.`));
  if (include !== undefined && include !== "prompts") return err(invalid("include is prompts."));
  if (format !== "json" && format !== "jsonl") return err(invalid("format is json or jsonl."));
  return ok({ format, prompts: include === "prompts" });
}

export function traceResponse(
  c: HttpContext,
  traced: ApiResult<TraceView>,
  format: TraceQuery["format"],
): Response {
  if (!traced.ok) return refuse(c, traced.error);
  if (format === "json") return Response.json({ items: traced.value.items });
  const text = traced.value.lines.map((line) => `${line}\n`).join("");
  return new Response(text, { headers: { "content-type": "application/x-ndjson" } });
}
