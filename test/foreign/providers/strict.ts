import type { ForeignRow } from "../row.ts";

/** Providers that refuse a request for something in its history, each by the rule that it documents or answers with. */

/** A message as it goes over the network. */
export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_details?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}

export interface Strict {
  /** the message of its error, or null where it accepts the request */
  readonly refuses: (messages: readonly WireMessage[]) => string | null;
  /** status of its error; 400 where left out */
  readonly status?: number;
  /** body of its error around the message; the form of OpenAI where left out */
  readonly errorBody?: (message: string) => unknown;
  /** ids that its model gives to its calls, in turn; the last one again and again */
  readonly ids?: readonly string[];
  /** calls that its model makes at once; 1 where left out */
  readonly callsAtOnce?: number;
  /** the model thinks before it calls; false: it never does */
  readonly thinks?: boolean;
  /** fields of a message in which it thinks; `reasoning_content` where left out */
  readonly thought?: Readonly<Record<string, unknown>>;
  /** words next to the call */
  readonly words?: string;
}

/** Requests of a run with two calls one after the other, and how it ends. */
export interface Run {
  readonly requests: number;
  readonly outcome: "completed";
}

type Row = ForeignRow<Strict, Run>;

const idsIn = (messages: readonly WireMessage[]): readonly string[] =>
  messages.flatMap(({ tool_calls: calls = [], tool_call_id: id }) => [
    ...calls.map((call) => call.id),
    ...(id === undefined ? [] : [id]),
  ]);
const nineCharacters = (messages: readonly WireMessage[]): string | null => {
  const wrong = idsIn(messages).find((id) => !/^[A-Za-z0-9]{9}$/.test(id));
  return wrong === undefined
    ? null
    : `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`;
};
/** Each result answers the call before it that has its id, and no two calls share one. */
const paired = (messages: readonly WireMessage[]): string | null => {
  const asked = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
  const answered = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
  if (new Set(asked).size < asked.length) return "Duplicate tool_call_id";
  return asked.join() === answered.join() ? null : "Not the same number of function calls and responses";
};
const blank = (content: unknown): boolean =>
  typeof content === "string" && !/[\p{L}\p{N}\p{P}\p{S}]/u.test(content);

/** A provider that refuses any field of thoughts, and thoughts as parts of the content. */
const anyThought =
  (message: string) =>
  (messages: readonly WireMessage[]): string | null =>
    messages.some(
      (one) =>
        ["reasoning_content", "reasoning", "reasoning_details"].some((field) => field in one) ||
        JSON.stringify(one.content ?? "").includes('"thinking"'),
    )
      ? message
      : null;
const strictIds = (messages: readonly WireMessage[]): string | null =>
  nineCharacters(messages) ?? paired(messages);

const MISTRAL = "https://github.com/anomalyco/opencode/issues/1680";
const THINKING = "https://api-docs.deepseek.com/guides/thinking_mode";

export const STRICT: readonly Row[] = [
  {
    name: "Mistral, whose ids have nine letters and digits",
    source: MISTRAL,
    input: { refuses: nineCharacters },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "Mistral on another server, whose model gives the same id to each call",
    source: "https://github.com/vllm-project/vllm/issues/10821",
    input: { refuses: (messages) => nineCharacters(messages) ?? paired(messages), ids: ["functions.send:0"] },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "ids of 66 characters",
    source: "https://github.com/jackmpcollins/magentic/issues/276",
    input: {
      refuses: (messages) => nineCharacters(messages) ?? paired(messages),
      ids: ["x".repeat(66), "y".repeat(66)],
    },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "empty ids",
    source: "https://github.com/mistralai/client-js/issues/69",
    input: { refuses: (messages) => nineCharacters(messages) ?? paired(messages), ids: [""] },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "Groq, which refuses thoughts",
    source: "https://github.com/janhq/jan/issues/8136",
    input: {
      thinks: true,
      refuses: (messages) =>
        messages.some((message) => "reasoning_content" in message)
          ? "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]"
          : null,
    },
    value: { requests: 4, outcome: "completed" },
  },
  {
    name: "DeepSeek, which wants the thoughts of a call back",
    source: THINKING,
    input: {
      thinks: true,
      refuses: (messages) =>
        messages.some(
          ({ tool_calls: calls, reasoning_content: thought }) => calls !== undefined && thought === undefined,
        )
          ? "Missing `reasoning_content` field in the assistant message at message index 2."
          : null,
    },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "DeepSeek, for calls without thoughts",
    source: "https://github.com/openclaw/openclaw/issues/73417",
    input: {
      thinks: false,
      refuses: (messages) =>
        messages.some(({ role, reasoning_content: thought }) => role === "assistant" && thought === undefined)
          ? "The `reasoning_content` in the thinking mode must be passed back to the API."
          : null,
    },
    value: { requests: 4, outcome: "completed" },
  },
  {
    name: "Kimi, in its own words",
    source: "https://github.com/MoonshotAI/kimi-cli/issues/2141",
    input: {
      thinks: false,
      refuses: (messages) =>
        messages.some(
          ({ tool_calls: calls, reasoning_content: thought }) => calls !== undefined && thought === undefined,
        )
          ? "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"
          : null,
    },
    value: { requests: 4, outcome: "completed" },
  },
  {
    name: "a provider that refuses words without a visible character",
    source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html",
    input: {
      words: "\u200b\u2060 \n",
      refuses: (messages) =>
        messages.some(({ content, reasoning_content: thought }) => blank(content) || blank(thought))
          ? "text content blocks must contain non-whitespace text"
          : null,
    },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "a provider that refuses blank words: a no-break space",
    source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html",
    input: {
      words: "\u00a0",
      refuses: (messages) => (messages.some(({ content }) => blank(content)) ? "blank" : null),
    },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "a provider that refuses blank words: two variation selectors without their emoji",
    source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html",
    input: {
      words: "\ufe0f\ufe0f",
      refuses: (messages) => (messages.some(({ content }) => blank(content)) ? "blank" : null),
    },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "a provider that refuses blank words: a combining mark without its letter",
    source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html",
    input: {
      words: "\u0301",
      refuses: (messages) => (messages.some(({ content }) => blank(content)) ? "blank" : null),
    },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "ids that look like Cairn's own, of another call",
    source: MISTRAL,
    input: {
      ids: ["000100200", "000100100"],
      refuses: (messages) => nineCharacters(messages) ?? paired(messages),
    },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "a provider that refuses a byte order mark in words",
    source: "https://www.rfc-editor.org/rfc/rfc8259#section-8.1",
    input: {
      words: "\ufeffI send it.",
      refuses: (messages) => (JSON.stringify(messages).includes("\ufeff") ? "invalid character" : null),
    },
    value: { requests: 4, outcome: "completed" },
  },
  {
    name: "ids of Anthropic, in which the same one comes back in a later step",
    source: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use",
    input: {
      refuses: strictIds,
      ids: ["toolu_01A09q90qw90lq917835lq9", "toolu_01A09q90qw90lq917835lq9"],
    },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "ids that are not ASCII",
    source: MISTRAL,
    input: { refuses: strictIds, ids: ["функция-1", "関数🙂"] },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "parallel calls that share one id",
    source: "https://github.com/vllm-project/vllm/issues/10821",
    input: { refuses: strictIds, ids: ["call_0"], callsAtOnce: 3 },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "ids of nine letters and digits that differ in case only",
    source: "https://docs.mistral.ai/capabilities/function_calling",
    input: { refuses: strictIds, ids: ["VvvODy9mT", "vVVodY9Mt"] },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "vLLM, whose model thinks in `reasoning`, behind a gateway that answers 422",
    source: "https://docs.vllm.ai/en/latest/features/reasoning_outputs/",
    input: {
      thought: { reasoning: "I send it." },
      thinks: true,
      status: 422,
      errorBody: (msg) => ({
        detail: [
          { type: "extra_forbidden", loc: ["body", "messages", 2, "assistant", "reasoning_content"], msg },
        ],
      }),
      refuses: anyThought("Extra inputs are not permitted"),
    },
    value: { requests: 4, outcome: "completed" },
  },
  {
    name: "Mistral, whose model thinks in parts of the content",
    source: "https://docs.mistral.ai/capabilities/reasoning",
    input: {
      thought: { content: [{ type: "thinking", thinking: [{ type: "text", text: "I send it." }] }] },
      thinks: true,
      status: 422,
      errorBody: (message) => ({ object: "error", message, type: "invalid_request_message_error" }),
      refuses: anyThought("Extra inputs are not permitted"),
    },
    value: { requests: 4, outcome: "completed" },
  },
  {
    name: "OpenRouter's list of details, sent back to a provider without thoughts",
    source: "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens",
    input: {
      thought: {
        reasoning: "I send it.",
        reasoning_details: [
          { type: "reasoning.text", text: "I send it.", signature: null, id: "r-1", format: null, index: 0 },
        ],
      },
      thinks: true,
      refuses: anyThought("reasoning_content is not supported by this model"),
    },
    value: { requests: 4, outcome: "completed" },
  },
  {
    name: "OpenAI's words for a field that it does not know",
    source: "https://platform.openai.com/docs/api-reference/chat/create",
    input: {
      thinks: true,
      errorBody: (message) => ({
        error: { message, type: "invalid_request_error", param: null, code: null },
      }),
      refuses: anyThought("Unrecognized request argument supplied: reasoning_content"),
    },
    value: { requests: 4, outcome: "completed" },
  },
  {
    name: "a refusal as a bare string",
    source: "https://github.com/janhq/jan/issues/8136",
    input: {
      thinks: true,
      errorBody: (message) => message,
      refuses: anyThought("messages[2]: additional property reasoning_content is not allowed"),
    },
    value: { requests: 4, outcome: "completed" },
  },
  {
    name: "a refusal that says that the field is not allowed to be provided",
    source: "https://github.com/janhq/jan/issues/8136",
    input: {
      thinks: true,
      status: 422,
      refuses: anyThought("reasoning_content must not be provided in messages of the assistant."),
    },
    value: { requests: 4, outcome: "completed" },
  },
  {
    name: "DeepSeek, which wants back the very thoughts of a model that thinks in `reasoning`",
    source: THINKING,
    input: {
      thinks: true,
      thought: { reasoning: "I send it." },
      refuses: (messages) =>
        messages.some(
          ({ tool_calls: calls, reasoning_content: thought }) =>
            calls !== undefined && thought !== "I send it.",
        )
          ? "The `reasoning_content` in the thinking mode must be passed back to the API."
          : null,
    },
    value: { requests: 3, outcome: "completed" },
  },
  {
    name: "DeepSeek's sentence from a gateway that answers 422",
    source: "https://github.com/openclaw/openclaw/issues/73417",
    input: {
      thinks: false,
      status: 422,
      errorBody: (message) => ({ detail: message }),
      refuses: (messages) =>
        messages.some(({ role, reasoning_content: thought }) => role === "assistant" && thought === undefined)
          ? "Error from provider (DeepSeek): The `reasoning_content` in the thinking mode must be passed back to the API."
          : null,
    },
    value: { requests: 4, outcome: "completed" },
  },
];
