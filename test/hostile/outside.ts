import * as z from "zod";
import { readFields } from "../../src/cairn/http/kit/parse.ts";
import { exportSchema } from "../../src/cairn/protocol/session-file.ts";
import { createSkillCatalog } from "../../src/plugins/skills/catalog.ts";
import { parseJson } from "../../src/plugins/channels/request.ts";
import { parseBlocks } from "../../src/plugins/channels/text/read-markdown.ts";
import { splitForSlack, toSlackTexts } from "../../src/plugins/channels/slack/slack-text.ts";
import { readEvent, readPress } from "../../src/plugins/channels/slack/events.ts";
import { readUpdate } from "../../src/plugins/channels/telegram/updates.ts";
import { readPost } from "../../src/cli/site/front-matter.ts";
import { checkable, unrollSchema } from "../../src/cairn/core/log/checkable-schema.ts";
import { JSON_VALUES_MAX } from "../../src/cairn/core/log/json-values.ts";
import { toJson, type Json } from "../../src/cairn/core/log/json.ts";
import { inWholeLines } from "../../src/cairn/models/bounded-body.ts";
import { createEmbedder } from "../../src/plugins/cms/embedding/embedder.ts";
import { createLineReader } from "../../src/cairn/models/event-line.ts";
import { gatherEvidence } from "../../src/cairn/models/evidence.ts";
import { calendar } from "../../src/cairn/session/background/cron.ts";
import { sessionWebMemory } from "../../src/cairn/session/storage/web-memory.ts";
import type { SiteContext } from "../../src/plugins/cms/renderer/context.ts";
import { excerptOf, renderMarkdown } from "../../src/plugins/cms/renderer/html/markdown.ts";
import { readPayload } from "../../src/cairn/http/routes/webhooks.ts";
import { readImage } from "../../src/plugins/cms/media/bytes/read-image.ts";
import { recordsIn } from "../../src/plugins/cms/portable/write-site.ts";
import { withSteps } from "../../src/plugins/code/steps.ts";
import { readAnswer } from "../../src/plugins/mcp-client/content.ts";
import { offeredOf } from "../../src/plugins/mcp-client/listing.ts";
import { callTool, listTools, type Parts as McpParts } from "../../src/plugins/mcp-client/connection.ts";
import { mcpServer, type McpServer } from "../../src/plugins/mcp-client/server.ts";
import { mcpSettings } from "../../src/plugins/mcp-client/settings.ts";
import { ToolError } from "../../src/cairn/tools/define.ts";
import { ARXIV_URL, findTexts } from "../../src/plugins/scholar/arxiv.ts";
import { createBrave } from "../../src/plugins/web/search/brave.ts";
import { parseChatBody } from "../../src/cairn/protocol/chat-body.ts";
import { parseFrame } from "../../src/cairn/protocol/frames.ts";
import { parseTemplate, renderParts } from "../../src/cairn/webhooks/templates.ts";
import { BLOCK_BYTES, readHeader } from "../../src/plugins/cms/protocol/tar.ts";
import { MODEL_ANSWERS } from "./model-answers.ts";
import type { Input } from "./parsers.ts";
import { PDFS } from "./pdfs.ts";
import { FOREIGN_FILES } from "./foreign-files.ts";
import { OPENAPI } from "./openapi.ts";
import { REPAIRED } from "./repaired.ts";
import { filled } from "./shapes.ts";

/** Parsers whose hostile inputs have a form of their own, each at the largest size that its entry point accepts. */

const MIB = 1_048_576;
const IMAGE_BYTES = 10 * MIB;
const MEMBER_BYTES = 12 * MIB;
const MESSAGE_BYTES = MIB;
const MARKDOWN_CHARS = 131_072;
const SKILL_CHARS = 262_144;
const MCP_BYTES = 4_000_000;
const CODE_CHARS = 100_000;

type Row = readonly [name: string, make: () => Input];

const latin = (text: string): number[] => Array.from(text, (sign) => sign.charCodeAt(0));

/** Bytes that begin with the head and repeat the unit up to exactly so many. */
function bytesOf(head: readonly number[], unit: readonly number[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(head);
  bytes.set(unit, head.length);
  for (let filledBytes = unit.length; head.length + filledBytes < length; filledBytes *= 2)
    bytes.copyWithin(head.length + filledBytes, head.length, head.length + filledBytes);
  return bytes;
}

/** The error where the parser refuses its input: a refusal is as good as an answer, but no overflow of the stack is. */
function refusalOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (error instanceof RangeError && error.message.includes("call stack")) throw error;
    return error;
  }
}

const image = (name: string, head: readonly number[], unit: readonly number[]): Row => [
  `an image of ${name}`,
  () => {
    const bytes = bytesOf(head, unit, IMAGE_BYTES);
    if (name.startsWith("WebP")) new DataView(bytes.buffer).setUint32(4, IMAGE_BYTES - 8, true);
    return () => refusalOf(() => readImage(bytes));
  },
];

/** Items of an AVIF whose extents overlap: each spans the whole of its media data. */
function overlappingItems(): Input {
  const box = (type: string, ...content: readonly (readonly number[])[]): number[] => {
    const body = content.flat();
    return [...u32(body.length + 8), ...latin(type), ...body];
  };
  const extents = 3_900;
  const metaBytes = 8 + 4 + (8 + 4 + 2 + 8 + 12) + (8 + 4 + 2 + 2 + 2 + 2 + 2 + extents * 8);
  const dataAt = 12 + metaBytes + 8;
  const span = [...u32(dataAt), ...u32(IMAGE_BYTES - dataAt)];
  const info = box("iinf", u32(0), u16(1), box("infe", u32(0x02000000), u16(1), u16(0), latin("Exif")));
  const places = box(
    "iloc",
    u32(0),
    [0x44, 0],
    u16(1),
    u16(1),
    u16(0),
    u16(extents),
    Array.from({ length: extents }, () => span).flat(),
  );
  const meta = box("meta", u32(0), info, places);
  const head = [...u32(12), ...latin("ftypavif"), ...meta];
  const bytes = bytesOf([...head, ...u32(IMAGE_BYTES - head.length), ...latin("mdat")], [1], IMAGE_BYTES);
  return () => refusalOf(() => readImage(bytes));
}
const u16 = (value: number): number[] => [value >> 8, value & 255];
const u32 = (value: number): number[] => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];

const member = (name: string, make: () => string): Row => [
  `a member of a site with ${name}`,
  () => {
    const lines = make();
    return () => refusalOf(() => recordsIn(lines));
  },
];
/** The line of a setting whose value is this list. */
const setting = (items: string): string =>
  `{"type":"setting","setting":{"key":"seo","value":{"a":[${items}0]},"version":1,"updatedAt":1}}\n`;

const telegram = {
  botId: 7,
  botName: () => Promise.resolve("bot"),
  now: () => 0,
  ack: () => () => Promise.resolve(),
  read: () => () => Promise.resolve(new Uint8Array()),
};

function mentions(): Input {
  const entities = Array.from({ length: 9_000 }, (_, at) => ({ type: "mention", offset: at * 4, length: 4 }));
  const message = {
    message_id: 1,
    date: 1,
    chat: { id: 1, type: "group" },
    from: { id: 2, first_name: "a" },
    text: "@bot".repeat(60_000),
    entities,
  };
  return () => readUpdate({ update_id: 1, message }, telegram as unknown as Parameters<typeof readUpdate>[1]);
}

const TALKED = {
  message_id: 1,
  date: 1,
  chat: { id: 1, type: "group" },
  from: { id: 2, first_name: "a" },
};
const updated = (message: object): Input => {
  const around = telegram as unknown as Parameters<typeof readUpdate>[1];
  return () => readUpdate({ update_id: 1, message: { ...TALKED, ...message } }, around);
};

function entitiesOutside(): Input {
  const entities = Array.from({ length: 9_000 }, (_, at) => ({
    type: "text_mention",
    user: { id: 7, first_name: "bot" },
    offset: at % 2 === 0 ? -at : 1_000_000_000 + at,
    length: at % 3 === 0 ? -5 : 1_000_000_000,
  }));
  return updated({ text: "@bot".repeat(60_000), entities });
}

const albumPart = (): Input =>
  updated({
    media_group_id: "a".repeat(200_000),
    caption: "é".repeat(100_000),
    photo: Array.from({ length: 2_000 }, (_, at) => ({ file_id: `f${at}`, width: 1, height: 1 })),
  });

const pressed = (
  name: string,
  size: { readonly actions?: number; readonly value?: number; readonly blocks?: number },
): Row => [
  name,
  () => {
    const { actions = 1, value = 10, blocks = 0 } = size;
    const payload = {
      type: "block_actions",
      user: { id: "U1" },
      channel: { id: "D1" },
      message: { ts: "1.1", blocks: Array.from({ length: blocks }, () => ({ type: "section" })) },
      actions: Array.from({ length: actions }, () => ({ value: "v".repeat(value), action_ts: "1" })),
      response_url: "https://hooks.slack.com/a",
    };
    return () => readPress(payload, telegram as unknown as Parameters<typeof readPress>[1]);
  },
];

const sharedMessages: Row = [
  "a message of Slack that shares 2,000 messages with files",
  () => {
    const files = [{ id: "F1", url_private: "https://files.slack.com/a" }];
    const attachments = Array.from({ length: 2_000 }, () => ({ text: "<@U1|a> &lt;", files }));
    const event = {
      type: "message",
      channel: "D1",
      channel_type: "im",
      user: "u",
      ts: "1",
      text: "a",
      attachments,
    };
    const json = { type: "event_callback", event_id: "1", event_time: 1, event };
    return () => readEvent(json, telegram as unknown as Parameters<typeof readEvent>[1]);
  },
];

const slack = (unit: string): Row => [
  `a message of Slack, ${JSON.stringify(unit)}`,
  () => {
    const text = filled(unit, MESSAGE_BYTES);
    const event = { type: "message", channel: "c", channel_type: "im", user: "u", ts: "1", text };
    const json = { type: "event_callback", event_id: "1", event_time: 1, event };
    return () => readEvent(json, telegram as unknown as Parameters<typeof readEvent>[1]);
  },
];

const skill = (unit: string): Row => [
  `a skill whose front matter is ${JSON.stringify(unit)}`,
  () => {
    const text = `---\nname: a\ndescription: ${filled(unit, SKILL_CHARS - 40)}\n---\na`;
    return async () => {
      const catalog = createSkillCatalog({ files: { "a/SKILL.md": text }, stored: null });
      await catalog.loadDue(1);
      return catalog.problems();
    };
  },
];

/** As far as front matter may be long. Braces and explicit keys are refused before YAML is read; the others are read. */
const post = (unit: string, begin = ""): Row => [
  `a post whose front matter is ${JSON.stringify(begin)} and ${JSON.stringify(unit)}`,
  () => {
    const text = `---\n${begin}${filled(unit, 8_000)}a\n---\na`;
    return () => refusalOf(() => readPost(text));
  },
];

const markdown = (unit: string): Row => [
  `a text of the site, ${JSON.stringify(unit)}`,
  () => {
    const text = filled(unit, MARKDOWN_CHARS);
    const context = { images: new Map(), pathOf: () => null, locales: ["en"], root: "/site/", preview: null };
    return () => [renderMarkdown(text, 1, context as unknown as SiteContext)];
  },
];

/** The words of an answer in small chunks, as a provider streams them. */
const streamed = (name: string, text: string, chunkBytes: number): Row => [
  `a stream of ${name}`,
  () => async () => {
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.subarray(at, (at += chunkBytes)));
      },
    });
    return new Response(inWholeLines(source, createLineReader()))
      .arrayBuffer()
      .catch((error: unknown) => error);
  },
];

const SERVER = { name: "s", effects: {}, tiers: {}, approval: {} } as unknown as McpServer;
const listing = (name: string, tools: number, schema: object): Row => [
  `a list of tools with ${name}`,
  () => {
    const items = Array.from({ length: tools }, (_, at) => ({ name: `t${at}`, inputSchema: schema }));
    return () => offeredOf(SERVER, items, null);
  },
];
const fieldsOf = (count: number): object => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [String(at), {}])),
});

/** Each schema names the next one twice: a check of a value would try 2^200 paths. */
function doublingSchema(kind: string): { readonly [key: string]: Json } {
  const next = (at: number): Json => ({ $ref: `#/$defs/d${at + 1}` });
  const schemas = Array.from({ length: 200 }, (_, at): [string, Json] => [
    `d${at}`,
    { [kind]: [next(at), next(at)] },
  ]);
  return {
    type: "object",
    properties: { a: { $ref: "#/$defs/d0" } },
    $defs: {
      ...Object.fromEntries(schemas),
      d200: { type: "object", properties: { q: { type: "number" } } },
    },
  };
}
const checked = (kind: string): Row => [
  `an input of a tool whose schema doubles by ${kind}`,
  () => {
    const schema = doublingSchema(kind);
    return () => z.fromJSONSchema(checkable(unrollSchema(schema))).safeParse({ a: { q: "x" } }).success;
  },
];

const nested = (levels: number): Json => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as Json;

/** The largest answer that is read of arXiv. */
const ARXIV_BYTES = 2_000_000;
const arxiv = (unit: string): Row => [
  `a feed of arXiv of ${JSON.stringify(unit)}`,
  () => {
    const feed = `<feed><entry>${filled(unit, ARXIV_BYTES - 20)}`;
    const fetch = () => Promise.resolve(new Response(feed));
    return () => findTexts(fetch, ARXIV_URL, ["a title"], { signal: new AbortController().signal, at: 0 });
  },
];

const WEBHOOK_TEMPLATE = parseTemplate("{{body}} {{body.a}} {{body.a|slug}} {{body.a|json|truncate:100}}");
/** A delivery as large as the route takes it, and a mapping that names all of it. */
const webhook = (name: string, type: string, text: string): Row => [
  `a webhook of ${name}`,
  () => {
    const bytes = new TextEncoder().encode(text.slice(0, MESSAGE_BYTES));
    return () => {
      const read = readPayload(type, bytes);
      if (!read.ok) return read;
      const { payload: body, text: whole } = read.value;
      return renderParts(WEBHOOK_TEMPLATE, { headers: new Headers(), body, text: whole, delivery: "d" });
    };
  },
];
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
/** An object whose field `a` is a list of this item. */
const listOf = (item: string): string =>
  `{"a":[${`${item},`.repeat(Math.floor((MESSAGE_BYTES - 10) / (item.length + 1)) - 1)}${item}]}`;

/** Lists of small values, as long as a body and as long as one that is parsed: a schema notes a fault for each. */
const ITEMS = ["0", "{}", '""', "[]"];
const wide = (
  name: string,
  chars: number,
  [before, behind]: readonly [string, string],
  read: (text: string) => unknown,
): readonly Row[] =>
  ITEMS.flatMap((item) => {
    const most = Math.floor((chars - 500) / (item.length + 1));
    // An opening is counted as a value, too.
    const taken = Math.floor((JSON_VALUES_MAX - 20) / (/^[[{]/.test(item) ? 2 : 1));
    return [most, Math.min(most, taken)].map((count): Row => [
      `${name} with a list of ${count} times ${item}`,
      () => {
        const text = `${before}${`${item},`.repeat(count - 1)}${item}${behind}`;
        return () => read(text);
      },
    ]);
  });
const embedded = (text: string): Promise<unknown> =>
  createEmbedder({
    name: "openai-compatible:small",
    id: "small",
    ai: null,
    similarity: { from: 0.5, to: 0.9 },
    endpoint: { baseUrl: "https://models.example/v1", apiKey: null, headers: {}, reportsCost: false },
    fetch: () => Promise.resolve(new Response(text)),
  }).embed(["a"], new AbortController().signal);
const searched = (text: string): Promise<unknown> =>
  createBrave({
    fetch: () => Promise.resolve(new Response(text)),
    baseUrl: "https://search.example",
    key: "k",
  })
    .search({ query: "a", limit: 10 }, { signal: new AbortController().signal, at: 0 })
    .catch((error: unknown) => error);
const TELEGRAM_HEAD =
  '{"update_id":1,"message":{"message_id":1,"date":1,"chat":{"id":1,"type":"private"},"from":{"id":2,"first_name":"a"},"text":"a","entities":[';
const SLACK_HEAD =
  '{"type":"event_callback","event_id":"1","event_time":1,"event":{"type":"message","channel":"c","channel_type":"im","user":"u","ts":"1","text":"a","files":[';
const WIDE: readonly Row[] = [
  ...wide(
    "a chat body",
    MESSAGE_BYTES,
    ['{"messages":[{"role":"assistant","parts":[', "]}]}"],
    parseChatBody,
  ),
  ...wide("a frame", MESSAGE_BYTES, ['{"type":"cairn:send","eventId":"e","parts":[', "]}"], parseFrame),
  ...wide("an update of Telegram", MESSAGE_BYTES, [TELEGRAM_HEAD, "]}}"], (text) =>
    refusalOf(() =>
      readUpdate(parseJson(text), telegram as unknown as Parameters<typeof readUpdate>[1]).catch(
        (error: unknown) => error,
      ),
    ),
  ),
  ...wide("an event of Slack", MESSAGE_BYTES, [SLACK_HEAD, "]}}"], (text) =>
    refusalOf(() => readEvent(parseJson(text), telegram as unknown as Parameters<typeof readEvent>[1])),
  ),
  ...wide("an answer of a search", 2_000_000, ['{"web":{"results":[', "]}}"], searched),
  ...wide("a call on a server", 3_900_000, ['{"content":[', "]}"], callOnServer),
  ...wide("vectors of a model", 16 * MIB, ['{"data":[', "]}"], embedded),
  ...wide("a vector of a model", 16 * MIB, ['{"data":[{"index":0,"embedding":[', "]}]}"], embedded),
];
/** A session as a file: more values than any other body may have. */
const SESSION_FILE = `{"format":"cairn.session/1","session":{"id":"a","title":"a","titleSource":"auto","metadata":{}},"stateHash":"${"0".repeat(64)}","seal":"${"0".repeat(64)}"`;
const FILE_BYTES = 16 * MIB;
const VALUES_OF_FILE = Math.floor(FILE_BYTES / 20) - 100;
const imported = (text: string): Promise<unknown> => {
  const headers = { "content-type": JSON_TYPE };
  const request = new Request("https://a.example/api/sessions/import", {
    method: "POST",
    body: text,
    headers,
  });
  const context = { req: { raw: request } } as unknown as Parameters<typeof readFields>[0];
  return readFields(context, exportSchema, FILE_BYTES);
};
const SESSION_FILES: readonly Row[] = [
  ...ITEMS.map((item): Row => {
    const count = Math.floor(VALUES_OF_FILE / (/^[[{]/.test(item) ? 2 : 1));
    const text = `${SESSION_FILE},"blobs":{},"entries":[${`${item},`.repeat(count - 1)}${item}]}`;
    return [`a session as a file with ${count} times ${item}`, () => () => imported(text)];
  }),
  [
    "a session as a file with many blobs that are numbers",
    () => {
      const blobs = Array.from({ length: VALUES_OF_FILE / 2 }, (_, at) => `"${at}":0`).join(",");
      const text = `${SESSION_FILE},"entries":[],"blobs":{${blobs}}}`;
      return () => imported(text);
    },
  ],
];

/** The answer of a server of MCP to each method; that of a call is `called`, as text. */
const mcpAnswer = (method: unknown, called: string): string => {
  const results: Readonly<Record<string, string>> = {
    initialize: `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}`,
    "tools/list": `{"tools":[{"name":"greet","inputSchema":{"type":"object"}}]}`,
    "tools/call": called,
  };
  const result = results[String(method)];
  return result === undefined ? '"error":{"code":-32601,"message":"unknown"}' : `"result":${result}`;
};
/** An answer as a stream of one event, in so many bytes at a time. */
function asEvents(text: string, size: number): Response {
  const bytes = new TextEncoder().encode(`data: ${text}\n\n`);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
const asBody = (text: string): Response => new Response(text, { headers: { "content-type": JSON_TYPE } });

/** The call of a tool whose server answers with `called`. */
function callOnServer(called: string, answer = asBody): Promise<unknown> {
  const fetch = (_url: unknown, init?: RequestInit): Promise<Response> => {
    const { id, method } = JSON.parse(String(init?.body ?? "{}")) as { id?: unknown; method?: unknown };
    if (id === undefined) return Promise.resolve(new Response(null, { status: 202 }));
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${mcpAnswer(method, called)}}`;
    return Promise.resolve(answer(text));
  };
  const parts: McpParts = {
    server: mcpServer({ name: "fake", url: "http://127.0.0.1:1/mcp" }),
    access: { ...mcpSettings({ MCP_LOCAL: "http://127.0.0.1:1" }).access, fetch },
    shown: { by: "nothing" },
    version: "1",
    signal: new AbortController().signal,
  };
  const call = async (): Promise<unknown> => {
    const listing = await listTools(parts, () => 0);
    const [tool] = listing.tools;
    if (tool === undefined) throw new Error("no tool is listed");
    return callTool(parts, listing, tool, {});
  };
  return call().catch((error: unknown) => {
    if (error instanceof ToolError) return error;
    throw error;
  });
}

/** A long text in one event that comes in small pieces: a reader that searches its beginning again with each is quadratic. */
const inPieces = (size: number): Row => [
  `an answer of a server in one line and pieces of ${size} bytes`,
  () => {
    const called = `{"content":[{"type":"text","text":"${filled("a", 3_800_000)}"}]}`;
    return () => callOnServer(called, (text) => asEvents(text, size));
  },
];

/** An address in a message of a person, which ends as many sentences as it has room for. */
function addressInWords(): Input {
  const text = `https://a${filled(".", 65_000)}x`;
  const said = { kind: "user_message", body: { parts: [{ type: "text", text }] } };
  const store = {
    entriesBetween: () => [said],
    loadCursor: () => ({ state: { run: null, ended: [{ inputs: [1] }] } }),
    sources: { knowsUrl: () => false },
  };
  const memory = sessionWebMemory(store as unknown as Parameters<typeof sessionWebMemory>[0]);
  return () => memory.knowsUrl("https://b.example/");
}

export const OUTSIDE: readonly Row[] = [
  ...WIDE,
  ...SESSION_FILES,
  inPieces(256),
  inPieces(16_384),
  ["an address in a message with many marks at its end", addressInWords],
  arxiv("<entry>"),
  arxiv("<title>a"),
  arxiv("<title a"),
  arxiv("<id>http://arxiv.org/abs/"),
  arxiv("<id>http://arxiv.org/abs/v1v1"),
  arxiv("<entry><title>&amp;</title><id>http://arxiv.org/abs/1</id>"),
  webhook("lists in one another", JSON_TYPE, "[".repeat(MESSAGE_BYTES / 2) + "]".repeat(MESSAGE_BYTES / 2)),
  webhook("objects in one another", JSON_TYPE, `${'{"a":'.repeat(174_000)}1${"}".repeat(174_000)}`),
  webhook("empty lists", JSON_TYPE, listOf("[]")),
  webhook("numbers", JSON_TYPE, listOf("1")),
  webhook("numbers that JavaScript cannot hold", JSON_TYPE, listOf("12345678901234567890")),
  webhook("one text", JSON_TYPE, `{"a":"${"- ".repeat(MESSAGE_BYTES / 2 - 10)}"}`),
  webhook("one text of line breaks", JSON_TYPE, `{"a":"${"\\n".repeat(MESSAGE_BYTES / 2 - 10)}"}`),
  webhook("fields of a form", FORM_TYPE, "a&".repeat(MESSAGE_BYTES / 2)),
  webhook("signs of a form", FORM_TYPE, `a=${"%41".repeat(MESSAGE_BYTES / 3 - 1)}`),
  image("PNG chunks", latin("\x89PNG\r\n\x1a\n"), [0, 0, 0, 0, ...latin("abcd"), 0, 0, 0, 0]),
  image("JPEG segments", [0xff, 0xd8, 0xff], [0xff, 0xdb, 0, 3, 0]),
  image("JPEG scans", [0xff, 0xd8], [0xff, 0xda, 0, 2]),
  image("GIF blocks", [...latin("GIF89a"), 1, 0, 1, 0, 0, 0, 0], [0x21, 0xf9, 0]),
  image("WebP chunks", [...latin("RIFF"), 0, 0, 0, 0, ...latin("WEBP")], [...latin("ABCD"), 0, 0, 0, 0]),
  image("AVIF boxes", [0, 0, 0, 12, ...latin("ftypavif")], [0, 0, 0, 8, ...latin("mdat")]),
  ["an image of AVIF items that overlap", overlappingItems],
  ...PDFS,
  ["headers of a tar file", () => () => Array.from({ length: 2_000 }, () => readHeader(BLANK_BLOCK))],
  member("line breaks", () => "\n".repeat(MEMBER_BYTES)),
  member("empty lists", () => setting("[],".repeat(MEMBER_BYTES / 3 - 100))),
  member("numbers", () => setting("1,".repeat(MEMBER_BYTES / 2 - 100))),
  member("as many values as it may have", () => setting("[],".repeat(149_000))),
  member("quotes", () => setting(`"${'\\"'.repeat(MEMBER_BYTES / 2 - 100)}",`)),
  member("nested lists", () => setting(`${"[".repeat(5_000_000)}${"]".repeat(5_000_000)},`)),
  ["a message of Telegram with 9,000 mentions", mentions],
  ["a message of Telegram with 9,000 entities that lie outside of its text", entitiesOutside],
  ["a part of an album of Telegram with a long name", albumPart],
  pressed("a press in Slack with 20,000 actions", { actions: 20_000 }),
  pressed("a press in Slack with a long value", { value: MESSAGE_BYTES - 1_000 }),
  pressed("a press in Slack on a message of 20,000 blocks", { blocks: 20_000 }),
  sharedMessages,
  slack("<@U|"),
  slack("&lt;"),
  skill("{"),
  skill("!["),
  skill("a: &a [*a,*a]\n"),
  skill("? "),
  post("{"),
  post("? "),
  post("a: |\n  b\n"),
  post(":,", "{"),
  post("a ,", "{".repeat(16)),
  markdown("\n"),
  markdown(",\n"),
  markdown("a\n\n"),
  markdown("[a](b) "),
  markdown("> "),
  markdown("&amp;"),
  ["an excerpt of a text of the site", () => () => excerptOf(filled("*a* ", MARKDOWN_CHARS), 200)],
  [
    "a text of the site for Slack",
    () => () =>
      splitForSlack(parseBlocks(filled("`a` &", MARKDOWN_CHARS)), { partsMax: 5, link: null }).map(
        toSlackTexts,
      ),
  ],
  streamed("a line without an end", `data: ${"a".repeat(3 * MIB)}`, 64),
  streamed("lines that name no error", 'data:{"error":""}\n'.repeat(60_000), 1_000),
  ...MODEL_ANSWERS,
  ...REPAIRED,
  ...OPENAPI,
  ...FOREIGN_FILES,
  ["an error of a provider, nested", () => () => gatherEvidence({ error: nested(100_000) })],
  ["a value that no parser has bounded", () => () => toJson(nested(100_000))],
  [
    "an answer of a tool, nested",
    () => () => refusalOf(() => readAnswer({ content: [nested(100_000)] }, "t")),
  ],
  [
    "an answer of a tool with many blocks",
    () => () =>
      refusalOf(() => readAnswer({ content: Array.from({ length: MCP_BYTES / 30 }, () => TEXT) }, "t")),
  ],
  listing("many schemas", 2_000, fieldsOf(500)),
  listing("schemas that double", 900, doublingSchema("anyOf")),
  checked("anyOf"),
  checked("allOf"),
  checked("oneOf"),
  ["a schedule that never comes", () => () => calendar.next("0 0 31 2 *", "America/New_York", 1.7e12)],
  ["code of open brackets", () => () => withSteps("(".repeat(CODE_CHARS))],
  ["code of one long chain", () => () => withSteps(`a${".a".repeat(CODE_CHARS / 2 - 1)}`)],
];

const TEXT = { type: "text", text: "a" };
const BLANK_BLOCK = new Uint8Array(BLOCK_BYTES).fill(0x20);
