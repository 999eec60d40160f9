import { hasSite, type Health } from "./health.ts";

export const DEFAULT_URL = "http://127.0.0.1:8787";

/** Banner of a started Cairn: its address, its model, and what to type next. */
export function banner(url: string, health: Health | null, demoWeb = false): string {
  const chat = url === DEFAULT_URL ? "npm run chat" : `npm run chat -- --url ${url}`;
  const site = health !== null && hasSite(health);
  const ask = `${chat}${chat === "npm run chat" ? " --" : ""}`;
  const lines = [
    "",
    "Cairn is running. Ctrl-C stops it; all results are stored.",
    "",
    `  Open it       ${url}/`,
    ...(site ? [`  Its website   ${url}/site/`] : []),
    `  Terminal      ${chat}`,
    ...(site ? [`                ${ask} "Create a Prices page with a hero image"`] : []),
    `  Model         ${modelLine(health)}`,
  ];
  if (health === null || health.rules === true)
    lines.push(
      "                To use a language model: npm start -- --var MODEL:openai-compatible:<name> \\",
      "                  --var OPENAI_COMPATIBLE_BASE_URL:<url>     (or put both into .dev.vars)",
    );
  if (demoWeb)
    lines.push(
      "  Web           invented pages on this machine (--demo-web). Say, for example:",
      '                "Research which of the passes is open in May, with sources"',
    );
  if (health?.auth === "tokens") lines.push("  Log in        with one of the tokens in AUTH_TOKENS");
  for (const problem of health?.problems ?? [])
    lines.push(`  To fix        ${problem.variable}: ${problem.message}`);
  return `${lines.join("\n")}\n`;
}

function modelLine(health: Health | null): string {
  if (health === null) return "unknown, because Cairn did not answer";
  if (health.rules === true)
    return `rehearsal (fixed rules, not a language model${hasSite(health) ? "; it really changes the site" : ""})`;
  return health.model ?? "unknown";
}
