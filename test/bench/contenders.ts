/** Contenders of the benchmark. A floor is no agent: it shows the cost of the platform or the AI SDK alone. */
export const CONTENDERS = {
  cairn: { title: "Cairn", kind: "cairn", config: "cairn/wrangler.toml" },
  "think-harness": { title: "ThinkHarness", kind: "peer", config: "peers/think-harness.toml" },
  "ai-chat": { title: "AIChatAgent", kind: "peer", config: "peers/ai-chat.toml" },
  think: { title: "Think", kind: "peer", config: "peers/think.toml" },
  durable: { title: "same durability", kind: "floor", config: "floor/durable.toml" },
  alarms: { title: "bare alarms", kind: "floor", config: "floor/alarms.toml" },
  "stream-text": { title: "streamText", kind: "floor", config: "floor/stream-text.toml" },
  coalesced: { title: "streamText, deltas joined", kind: "floor", config: "floor/coalesced.toml" },
} as const;

export type Name = keyof typeof CONTENDERS;

export const NAMES = Object.keys(CONTENDERS) as Name[];
/** the ones that keep a conversation */
export const AGENTS = ["cairn", "think-harness", "ai-chat", "think"] as const satisfies readonly Name[];
