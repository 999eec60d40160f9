import { isObject, type Json, type JsonObject } from "../../cairn/core/log/json.ts";
import type { Oddities } from "./oddities.ts";

/**
 * Answers of servers, made valid before the client of the protocol validates them: it drops a whole answer for one null. The
 * answers are bounded where they are received (reach.ts); nothing here descends further than the protocol's own fields.
 */

/** Fields of a result in which a repaired list carries its items: the client validates `tools`, and one bad tool would hide all. */
export const LISTED = "cairn/tools";

const REPAIRED: ReadonlySet<string> = new Set(["initialize", "server/discover", "tools/list", "tools/call"]);
/** levels of an answer about the server itself from which nulls are removed */
const ABOUT_LEVELS_MAX = 6;
/** levels of a block, with the annotations and the resource in it */
const BLOCK_LEVELS_MAX = 3;
/** fields of a call's answer, and of a block in it, whose content is the server's own */
const FREE: ReadonlySet<string> = new Set(["structuredContent", "data", "blob"]);

/** The same response, with what its messages have in a wrong form corrected. `body`: the request that it answers. */
export function repairedResponse(response: Response, body: unknown, odd: Oddities): Response {
  const method = methodOf(body);
  const type = response.headers.get("content-type") ?? "";
  if (method === null || !response.ok || response.body === null) return response;
  const repair = (text: string): string => repairedText(text, method, odd);
  const transform = type.startsWith("text/event-stream")
    ? streamRepair(repair)
    : type.includes("json")
      ? textRepair(repair)
      : null;
  if (transform === null) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const text = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(transform);
  return new Response(text.pipeThrough(new TextEncoderStream()), { status: response.status, headers });
}

/** The method of a request that Cairn has made; null where its answer is not repaired. */
function methodOf(body: unknown): string | null {
  if (typeof body !== "string") return null;
  try {
    const request = JSON.parse(body) as Json;
    const method = isObject(request) ? request["method"] : null;
    return typeof method === "string" && REPAIRED.has(method) ? method : null;
  } catch {
    return null;
  }
}

/** One JSON text. It is complete only at its end. */
function textRepair(repair: (text: string) => string): TransformStream<string, string> {
  const pieces: string[] = [];
  return new TransformStream({
    transform: (piece) => void pieces.push(piece),
    flush: (controller) => controller.enqueue(repair(pieces.join(""))),
  });
}

/** Events, each passed on as soon as it is complete (HTML, section 9.2.6). */
function streamRepair(repair: (text: string) => string): TransformStream<string, string> {
  let event: string[] = [];
  let line: string[] = [];
  return new TransformStream({
    transform: (piece, controller) => {
      const lines = piece.split("\n");
      for (const [at, part] of lines.entries()) {
        line.push(part);
        if (at === lines.length - 1) break;
        const whole = line.join("");
        line = [];
        event.push(whole);
        if (whole !== "" && whole !== "\r") continue;
        controller.enqueue(repairedEvent(event, repair));
        event = [];
      }
    },
    flush: (controller) => controller.enqueue([...event, line.join("")].join("\n")),
  });
}

function repairedEvent(lines: readonly string[], repair: (text: string) => string): string {
  const isData = (line: string): boolean => line.startsWith("data:");
  const text = lines
    .filter(isData)
    .map((line) => line.slice(5).replace(/^ /, "").replace(/\r$/, ""))
    .join("\n");
  const made = text === "" ? text : repair(text);
  if (made === text) return `${lines.join("\n")}\n`;
  const others = lines.filter((line) => !isData(line) && line !== "" && line !== "\r");
  return [...others, `data: ${made}`, "", ""].join("\n");
}

/** Returns the text itself where nothing is odd, and where it cannot be read: the client then reports what is wrong. */
function repairedText(text: string, method: string, odd: Oddities): string {
  try {
    const message = JSON.parse(text) as Json;
    const made = Array.isArray(message)
      ? message.map((one: Json) => repairedMessage(one, method, odd))
      : repairedMessage(message, method, odd);
    return JSON.stringify(made);
  } catch {
    return text;
  }
}

function repairedMessage(message: Json, method: string, odd: Oddities): Json {
  if (!isObject(message) || "method" in message) return message;
  const made: Record<string, Json> = { ...message };
  // JSON-RPC 1.0 has both fields in every answer.
  if (made["error"] === null && isObject(made["result"])) {
    odd.note("An answer has `error: null` next to its `result`");
    delete made["error"];
  }
  if (made["result"] === null && isObject(made["error"])) {
    odd.note("An answer has `result: null` next to its `error`");
    delete made["result"];
  }
  if (isObject(made["result"])) made["result"] = repairedResult(made["result"], method, odd);
  return made;
}

function repairedResult(result: JsonObject, method: string, odd: Oddities): Json {
  if (method === "tools/list") return repairedList(result, odd);
  if (method === "tools/call") return repairedCall(result);
  return repairedServer(result, odd);
}

/** The information that a server gives about itself. */
function repairedServer(result: JsonObject, odd: Oddities): JsonObject {
  const made = withoutNulls(result, ABOUT_LEVELS_MAX, (field) =>
    odd.note(`The server describes itself with \`${field}: null\``),
  );
  const info = made["serverInfo"];
  return {
    ...made,
    ...(isObject(made["capabilities"]) ? {} : { capabilities: {} }),
    serverInfo: { name: "unnamed", version: "0", ...(isObject(info) ? info : {}) },
  };
}

/** A page of a list. Its items stay as they are, in a field that the client does not validate. */
function repairedList(result: JsonObject, odd: Oddities): JsonObject {
  const made = withoutNulls(result, 1, (field) => odd.note(`A list has \`${field}: null\``));
  const { tools, nextCursor: cursor, _meta: meta, ttlMs, cacheScope, resultType, ...rest } = made;
  if (tools !== undefined && !Array.isArray(tools)) return result;
  if (tools === undefined && result["tools"] !== null) return result;
  if (meta !== undefined && !isObject(meta)) odd.note("A list has a `_meta` that is no object");
  // A page number; anything else that is no text ends the list.
  const next = typeof cursor === "number" ? String(cursor) : cursor;
  if (cursor !== undefined && typeof cursor !== "string")
    odd.note("A list has a `nextCursor` that is no text");
  return {
    ...rest,
    ...(typeof next === "string" ? { nextCursor: next } : {}),
    ...(isObject(meta) ? { _meta: meta } : {}),
    resultType: resultType ?? "complete",
    ttlMs: typeof ttlMs === "number" && Number.isSafeInteger(ttlMs) && ttlMs >= 0 ? ttlMs : 0,
    cacheScope: cacheScope === "public" ? "public" : "private",
    tools: [],
    [LISTED]: tools ?? [],
  };
}

/** The result of a tool. Its texts and its structured content stay as they are. */
function repairedCall(result: JsonObject): JsonObject {
  const made = withoutNulls(result, 1);
  const { content, isError, _meta: meta, resultType, ...rest } = made;
  const isAnswer =
    Array.isArray(content) || rest["structuredContent"] !== undefined || result["content"] === null;
  return {
    ...rest,
    ...(isObject(meta) ? { _meta: meta } : {}),
    ...(resultType !== undefined ? { resultType } : isAnswer ? { resultType: "complete" } : {}),
    ...(content === undefined && isAnswer ? { content: [] } : {}),
    ...(content === undefined ? {} : { content: blocksOf(content) }),
    ...(isError === undefined ? {} : { isError: isError === "true" || isError === 1 ? true : isError }),
  };
}

const blocksOf = (content: Json): Json =>
  Array.isArray(content)
    ? content.map((block: Json) => (isObject(block) ? withoutNulls(block, BLOCK_LEVELS_MAX) : block))
    : content;

/** An object without the fields that are null, and without those of the objects and lists in it, `levels` deep. */
function withoutNulls(
  object: JsonObject,
  levels: number,
  note: (field: string) => void = () => {},
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]): [string, Json][] => {
      if (value === null) {
        // The name of an unknown field is a server's word.
        note(KNOWN.has(key) ? key : "…");
        return [];
      }
      return [[key, levels === 1 || FREE.has(key) ? value : withoutNullsIn(value, levels - 1, note)]];
    }),
  );
}

const withoutNullsIn = (value: Json, levels: number, note: (field: string) => void): Json =>
  isObject(value)
    ? withoutNulls(value, levels, note)
    : Array.isArray(value)
      ? value.map((one: Json) => (isObject(one) ? withoutNulls(one, levels, note) : one))
      : value;

const KNOWN: ReadonlySet<string> = new Set(
  (
    "_meta nextCursor tools ttlMs cacheScope resultType instructions capabilities serverInfo protocolVersion title " +
    "websiteUrl icons name version description prompts resources logging completions listChanged experimental extensions " +
    "supportedVersions"
  ).split(" "),
);
