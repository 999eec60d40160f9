import type { ModelErrorClass } from "../../../src/cairn/core/log/model.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { ForeignRow } from "../row.ts";

/** Replies of chat servers "in the format of OpenAI", as they come over the network. */

/** A reply with the status 200, unless it names another one. */
export interface HttpReply {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
}

/** The outcome of a reply: an answer, or the class of its failure. */
export type Outcome =
  | {
      readonly text?: string;
      readonly thought?: string;
      readonly calls?: readonly { readonly tool: string; readonly input: Json }[];
    }
  | ModelErrorClass;

type Row = ForeignRow<HttpReply, Outcome>;

const sse = (...events: readonly unknown[]): HttpReply => ({
  type: "text/event-stream",
  body: events
    .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
    .join(""),
});
const json = (value: unknown): HttpReply => ({ type: "application/json", body: JSON.stringify(value) });
const page = (body: string): HttpReply => ({ type: "text/html; charset=utf-8", body });
const delta = (fields: unknown, finish: string | null = null): unknown => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1_762_355_135,
  model: "m",
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const END = [delta({}, "stop"), "[DONE]"];
const calling = (call: unknown): HttpReply =>
  sse(delta({ tool_calls: [call] }), delta({}, "tool_calls"), "[DONE]");
/** The call that every row of a call means. */
const LOOK: Outcome = { calls: [{ tool: "look", input: { slug: "about" } }] };

const OPENROUTER = "https://openrouter.ai/docs/api/reference/errors-and-debugging";
const LLAMA = "https://github.com/ggml-org/llama.cpp/issues/20198";
const CLOUDFLARE =
  "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/";
const NGINX = "https://nginx.org/en/docs/http/ngx_http_core_module.html#error_page";
const REFERENCE = "https://platform.openai.com/docs/api-reference/chat";

export const FAILURES: readonly Row[] = [
  {
    name: "a gateway's page of 502",
    source: NGINX,
    input: page(
      "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>",
    ),
    value: "overloaded",
  },
  {
    name: "a proxy's page that wants a password",
    source: NGINX,
    input: page("<html><head><title>401 Authorization Required</title></head><body>nginx</body></html>"),
    value: "auth",
  },
  {
    name: "a sign-in page of an identity provider",
    source: "https://developers.cloudflare.com/cloudflare-one/access-controls/policies/",
    input: page(
      '<!DOCTYPE html><html><head><title>Welcome</title></head><body><form method="post"><input name="user"><input type="password" name="pw"></form></body></html>',
    ),
    value: "auth",
  },
  {
    name: "Cloudflare's page for too many requests",
    source: CLOUDFLARE,
    input: page(
      "<!doctype html><html><head><title>Access denied | api.example.com used Cloudflare to restrict access</title></head><body><h1>Error 1015</h1><h2>You are being rate limited</h2></body></html>",
    ),
    value: "rate_limit",
  },
  {
    name: "Cloudflare's words without a page",
    source: CLOUDFLARE,
    input: page("error code: 1015"),
    value: "rate_limit",
  },
  {
    name: "Cloudflare's page of a server that times out",
    source:
      "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/error-524/",
    input: page(
      "<!DOCTYPE html><html><head><title>example.com | 524: A timeout occurred</title></head><body></body></html>",
    ),
    value: "timeout",
  },
  {
    name: "a web application under the wrong base URL",
    source: "https://github.com/ChatGPTNextWeb/NextChat/issues/3814",
    input: page(
      '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><title>NextChat</title><script>var code = 429;</script></head><body><div id="root"></div></body></html>',
    ),
    value: "network",
  },
  {
    name: "Envoy's words of a lost upstream",
    source: "https://www.envoyproxy.io/docs/envoy/latest/faq/debugging/why_is_my_route_not_found",
    input: {
      type: "text/plain",
      body: "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
    },
    value: "network",
  },
  {
    name: "an error as JSON",
    source: OPENROUTER,
    input: json({ error: { code: 429, message: "Rate limit exceeded: free-models-per-min." } }),
    value: "rate_limit",
  },
  {
    name: "an error of credits as JSON",
    source: OPENROUTER,
    input: json({ error: { code: 402, message: "Insufficient credits" } }),
    value: "auth",
  },
  {
    name: "an error event before the end",
    source: OPENROUTER,
    input: sse({ error: { code: 503, message: "no provider" } }, "[DONE]"),
    value: "overloaded",
  },
  {
    name: "an error event after words",
    source: "https://openrouter.ai/docs/api-reference/streaming",
    input: sse(
      delta({ content: "Hal" }),
      {
        id: "c1",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        error: { code: "server_error", message: "Provider disconnected" },
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
      },
      "[DONE]",
    ),
    value: "overloaded",
  },
  {
    name: "a failure inside the choice",
    source: OPENROUTER,
    input: json({
      id: "gen-1",
      choices: [
        {
          index: 0,
          finish_reason: "error",
          error: { code: 429, message: "upstream" },
          message: { role: "assistant", content: "" },
        },
      ],
    }),
    value: "rate_limit",
  },
  {
    name: "an error object without a key of that name",
    source: "https://github.com/nearai/ironclaw/issues/1241",
    input: json({
      object: "error",
      message: "Tool call id was turn1_0 but must be a-z, A-Z, 0-9, with a length of 9.",
      type: "invalid_function_call",
      param: null,
      code: "3280",
      raw_status_code: 400,
    }),
    value: "bad_request",
  },
  {
    name: "the same as an event",
    source: "https://github.com/jackmpcollins/magentic/issues/276",
    input: sse(
      { object: "error", message: "invalid", type: "invalid_request_error", param: null, code: 400 },
      "[DONE]",
    ),
    value: "bad_request",
  },
  {
    name: "an event with the name error",
    source: "https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation",
    input: {
      type: "text/event-stream",
      body: 'event: error\ndata: {"code":429,"message":"slow down"}\n\ndata: [DONE]\n\n',
    },
    value: "rate_limit",
  },
  {
    name: "an invalid key in fields of its own",
    source: "https://github.com/MiniMax-AI/MiniMax-M2.5/issues/18",
    input: json({ base_resp: { status_code: 2049, status_msg: "invalid api key" } }),
    value: "auth",
  },
  {
    name: "an error as a detail",
    source: "https://fastapi.tiangolo.com/tutorial/handling-errors/",
    input: json({ detail: "Not authenticated" }),
    value: "auth",
  },
  {
    name: "an error in a list of one",
    source: "https://ai.google.dev/gemini-api/docs/openai",
    input: json([
      { error: { code: 400, message: "Invalid JSON payload received.", status: "INVALID_ARGUMENT" } },
    ]),
    value: "bad_request",
  },
  {
    name: "errors of Cloudflare's API",
    source: "https://developers.cloudflare.com/fundamentals/api/reference/",
    input: json({
      result: null,
      success: false,
      errors: [{ code: 10_000, message: "Authentication error" }],
      messages: [],
    }),
    value: "auth",
  },
  {
    name: "thoughts that are missing in the history",
    source: "https://github.com/abhigyanpatwari/GitNexus/issues/43",
    input: {
      status: 400,
      type: "application/json",
      body: JSON.stringify({
        error: {
          message: "Missing `reasoning_content` field in the assistant message at message index 2.",
          type: "invalid_request_error",
        },
      }),
    },
    value: "no_reasoning",
  },
  {
    name: "the same in other words",
    source: "https://github.com/MoonshotAI/kimi-cli/issues/2141",
    input: {
      status: 400,
      type: "application/json",
      body: JSON.stringify({
        error: { message: "The `reasoning_content` in the thinking mode must be passed back to the API." },
      }),
    },
    value: "no_reasoning",
  },
  {
    name: "thoughts that are refused",
    source: "https://github.com/janhq/jan/issues/8136",
    input: {
      status: 400,
      type: "application/json",
      body: JSON.stringify({
        error: {
          message:
            "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
          type: "invalid_request_error",
        },
      }),
    },
    value: "bad_request",
  },
];

export const ANSWERS: readonly Row[] = [
  {
    name: "an answer in one piece",
    source: `${REFERENCE}/object`,
    input: json({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_741_569_952,
      model: "m",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hello.", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
    }),
    value: { text: "Hello." },
  },
  {
    name: "calls in one piece, without places in their list",
    source: `${REFERENCE}/object`,
    input: json({
      id: "chatcmpl-1",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: null,
            tool_calls: [
              { id: "a", type: "function", function: { name: "look", arguments: '{"slug":"about"}' } },
              { id: "b", type: "function", function: { name: "look", arguments: '{"slug":"home"}' } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
    }),
    value: {
      calls: [
        { tool: "look", input: { slug: "about" } },
        { tool: "look", input: { slug: "home" } },
      ],
    },
  },
  {
    name: "a content of thoughts and texts",
    source: "https://github.com/BerriAI/litellm/issues/16272",
    input: sse(
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "A greeting" }] }] }),
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: ", I return it." }] }] }),
      delta({ content: [{ type: "text", text: "Hel" }] }),
      delta({ content: "lo." }),
      ...END,
    ),
    value: { thought: "A greeting, I return it.", text: "Hello." },
  },
  {
    name: "arguments as an object",
    source: LLAMA,
    input: calling({
      index: 0,
      id: "a",
      type: "function",
      function: { name: "look", arguments: { slug: "about" } },
    }),
    value: LOOK,
  },
  {
    name: "arguments that are encoded twice",
    source: "https://github.com/FoundationAgents/OpenManus/pull/989",
    input: calling({
      index: 0,
      id: "a",
      type: "function",
      function: { name: "look", arguments: JSON.stringify('{"slug":"about"}') },
    }),
    value: LOOK,
  },
  {
    name: "arguments as text, and then as an object",
    source: LLAMA,
    input: sse(
      delta({
        tool_calls: [
          { index: 0, id: "a", type: "function", function: { name: "look", arguments: '{"slug":"about"}' } },
        ],
      }),
      delta({ tool_calls: [{ index: 0, function: { arguments: { slug: "about" } } }] }),
      delta({}, "tool_calls"),
      "[DONE]",
    ),
    value: LOOK,
  },
  {
    name: "an empty object before the arguments",
    source: LLAMA,
    input: sse(
      delta({
        tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "look", arguments: {} } }],
      }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"slug":"about"}' } }] }),
      delta({}, "tool_calls"),
      "[DONE]",
    ),
    value: LOOK,
  },
  {
    name: "null arguments of a tool without fields",
    source: LLAMA,
    input: calling({ index: 0, id: "a", type: "function", function: { name: "look", arguments: null } }),
    value: { calls: [{ tool: "look", input: {} }] },
  },
  {
    name: "a call with its name next to its id",
    source: "https://developers.cloudflare.com/workers-ai/features/function-calling/",
    input: calling({ index: 0, id: "a", name: "look", arguments: { slug: "about" } }),
    value: LOOK,
  },
  {
    name: "calls without a place in their list",
    source: "https://ai.google.dev/gemini-api/docs/openai",
    input: calling({ id: "", type: "function", function: { name: "look", arguments: '{"slug":"about"}' } }),
    value: LOOK,
  },
  {
    name: "a place and an id in the other type",
    source: "https://github.com/vercel/ai/issues/890",
    input: calling({
      index: "0",
      id: 7,
      type: "function",
      function: { name: "look", arguments: '{"slug":"about"}' },
    }),
    value: LOOK,
  },
  {
    name: "the call of the old form",
    source: "https://platform.openai.com/docs/api-reference/chat/create#chat-create-functions",
    input: sse(
      delta({ function_call: { name: "look", arguments: "" } }),
      delta({ function_call: { arguments: '{"slug":"about"}' } }),
      delta({}, "function_call"),
      "[DONE]",
    ),
    value: LOOK,
  },
  {
    name: "one call that is no list",
    source: "https://github.com/ollama/ollama/issues/6155",
    input: sse(
      delta({ tool_calls: { index: 0, id: "a", function: { name: "look", arguments: '{"slug":"about"}' } } }),
      ...END,
    ),
    value: LOOK,
  },
  {
    name: "a last event of usage without choices",
    source: "https://learn.microsoft.com/azure/ai-foundry/openai/reference",
    input: sse(
      delta({ content: "Hello." }),
      delta({}, "stop"),
      {
        id: "c1",
        choices: null,
        usage: { prompt_tokens: 3, completion_tokens: 2, prompt_tokens_details: "none" },
      },
      "[DONE]",
    ),
    value: { text: "Hello." },
  },
  {
    name: "another role, and comments between events",
    source: "https://openrouter.ai/docs/api-reference/streaming",
    input: {
      type: "text/event-stream",
      body: `: OPENROUTER PROCESSING\n\n${sse(delta({ role: "model", content: "Hello." }), ...END).body}`,
    },
    value: { text: "Hello." },
  },
  {
    name: "a null error next to the choices",
    source: REFERENCE,
    input: sse({ ...(delta({ content: "Hello." }) as object), error: null }, ...END),
    value: { text: "Hello." },
  },
];
