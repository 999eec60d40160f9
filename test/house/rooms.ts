import path from "node:path";
import type { SourceFile } from "./source-tree.ts";

/**
 * Every folder of code, its purpose, and what it may import besides its own files. architecture.test.ts enforces the list, and
 * `npm run house` prints it.
 */

export interface Room {
  readonly folder: string;
  readonly what: string;
  /** folders with all that is below them, and single files; packages are held by tests of their own */
  readonly may: readonly string[];
}

/** The instructions of a model in a call outside a conversation. */
const CALL_PROMPTS = "src/cairn/call-prompts.ts";
/** The runtime's own texts within a conversation. */
const NOTE_PROMPTS = "src/cairn/prompt-notes.ts";

/** Numbers and tables that every room of the core reads. */
const BOTTOM = [
  "src/cairn/core/limits.ts",
  "src/cairn/core/model-tables.ts",
  "src/cairn/core/address.ts",
  "src/cairn/core/prompt-note.ts",
];

/** In the order of their imports: each may import those above it. */
const CORE: readonly (readonly [name: string, what: string])[] = [
  ["log", "stored data: entries, approvals, questions, plans, receipts, and their names"],
  ["log/people", "approvals, questions, and the replies of people"],
  ["text", "texts: markers, secrets, sentences, words from outside"],
  ["dialects", "request and reply formats for models with and without tool calling"],
  ["state", "the state of a session; only entries change it"],
  ["state/run", "the parts of a live run, and how entries change them"],
  ["entries", "entries made in several places"],
  ["guards", "permissions, approvals, quotas, reuse"],
  ["guards/budget", "budgets of runs, and their exhaustion"],
  ["guards/loops", "loop detection"],
  ["guards/review", "review of answers against the receipt"],
  ["family", "runs that start runs: shares of budgets, and reports"],
  ["prompt", "the prompt"],
  ["loop", "what happens next; messages, replies, decisions"],
];
const inCore = (name: string): string => `src/cairn/core/${name.split("/")[0]}`;
const coreRooms = CORE.map(([name, what], at): Room => {
  const above = CORE.slice(0, at).map(([other]) => inCore(other));
  return { folder: `src/cairn/core/${name}`, what, may: [...new Set([...BOTTOM, ...above, inCore(name)])] };
});

/** Data that crosses a boundary, the configuration, and webhooks. */
const DATA = ["src/cairn/protocol", "src/cairn/config", "src/cairn/webhooks"];
const PROTOCOL = ["src/cairn/core", "src/cairn/protocol"];
/** answers and file of the site, which the site panel reads */
const SITE_PROTOCOL = "src/plugins/cms/protocol";
/** answers of the routes of channels, which the preferences read */
const CHANNEL_PROTOCOL = "src/plugins/channels/protocol";
/** answers of the routes of push, and what its service worker receives */
const PUSH_PROTOCOL = "src/plugins/channels/webpush/protocol";
const PAGE = ["src/cairn/core", ...DATA, "src/page"];
/** the bindings of a deployment, as a type */
const BINDINGS = "src/cairn/bindings.ts";
/** what routes are made with, of the kernel or of a plugin */
const HTTP_KIT = ["src/cairn/http/kit", "src/cairn/http/deps.ts"];
/** what an operator's tail shows: whoever does something may say so */
const TAIL = "src/cairn/operator-log.ts";
/** time limits of work outside of the core, which has no timers */
const TIME_LIMIT = "src/cairn/time-limit.ts";
const TOOLS = [
  "src/cairn/core",
  "src/cairn/documents",
  "src/cairn/outbound",
  "src/cairn/tools",
  "src/cairn/uploads",
  TAIL,
  TIME_LIMIT,
];
const PLUGIN = [
  BINDINGS,
  TIME_LIMIT,
  "src/cairn/plugin.ts",
  "src/cairn/core",
  "src/cairn/documents",
  "src/cairn/outbound",
  "src/cairn/tools",
  "src/cairn/uploads",
  "build/modules",
];
const PLUGINS: readonly (readonly [folder: string, what: string])[] = [
  ["code", "the plugin for code that an agent writes, run where it reaches nothing"],
  ["files", "the plugin that reads the files that people send"],
  ["http-request", "the plugin for requests to APIs"],
  ["plain-words", "the plugin of word lists: what requests order, and what answers say"],
  ["rehearsal", "the plugin of the model without a key: rules"],
  ["rehearsal/text", "sentences: words, forms, slots"],
  ["rehearsal/actions", "actions of the rules for a request"],
  ["rehearsal/research", "questions to the web, and answers in pages"],
  ["scholar", "the plugin that searches scholarly works"],
  ["skills", "the plugin for how work is done here: texts that an agent reads when it needs them"],
  ["web", "the plugin that searches and reads the web"],
  ["web/reading", "reading addresses, with a browser where a page needs one"],
  ["web/search", "searching the web, by one provider or another"],
  ["web/values", "values from pages, without their words"],
];
const PAGES_OF_SITE = ["src/cairn/core", "src/cairn/tools/define.ts", "src/plugins/cms"];
const CMS_PARTS: readonly (readonly [folder: string, what: string])[] = [
  ["model", "pages, sections, links, ids: what a site is"],
  ["storage", "the site in D1"],
  ["edit", "plans of changes"],
  ["collections", "fields of collections"],
  ["changes", "change sets: writes that are published as one"],
  ["checks", "checks of pages"],
  ["history", "history and undo"],
  ["entries", "the tools that write entries, such as posts"],
  ["schedule", "publishing at a time"],
  ["portable", "export and import of a site as one file"],
  ["settings", "the settings of the site"],
  ["media", "uploaded images, and the tools for images"],
  ["search", "search by words and by meaning"],
  ["seed", "the sample site"],
  ["tools", "the tools of the site, one file for each kind"],
  ["media/bytes", "reading image bytes, and removing metadata"],
  ["maintenance", "descriptions of new images, and embeddings of texts"],
];
const MCP_CLIENT: readonly (readonly [folder: string, what: string])[] = [
  ["mcp-client", "the plugin for tools of MCP servers: lists, calls, sign-in"],
  ["mcp-client/http", "the MCP servers of the deployment: set up, shown, signed in at"],
];
const MCP_CLIENT_MAY = [
  ...PLUGIN,
  ...HTTP_KIT,
  "src/cairn/http/links/approval-page.ts",
  "src/cairn/session/api",
  ...DATA,
  "src/plugins/mcp-client",
  TAIL,
];
const MCP_SERVER: readonly (readonly [folder: string, what: string])[] = [
  ["mcp-server", "the plugin for Cairn as an MCP server: runs as tasks, approvals as input requests"],
  ["mcp-server/oauth", "sign-in of assistants, and consent"],
];
const MCP_SERVER_MAY = [
  ...PLUGIN,
  ...HTTP_KIT,
  "src/cairn/http/runs",
  "src/cairn/session/api",
  ...DATA,
  "src/plugins/mcp-server",
];
const CMS_PART = [BINDINGS, ...TOOLS, "src/plugins/cms"];
const HTTP = [
  BINDINGS,
  "src/cairn/core",
  ...DATA,
  "src/cairn/session/api",
  "src/cairn/session/commands/commands.ts",
  "src/cairn/session/commands/run-options.ts",
  "src/cairn/http",
];
/** A part of the plugin of channels. */
const CHANNELS = ["src/cairn/core", ...DATA, "src/plugins/channels", TAIL, TIME_LIMIT];
const SESSION = [BINDINGS, "src/cairn/core", ...DATA, "src/cairn/session", TAIL, TIME_LIMIT];
const ON_NODE = ["src/cairn/core", ...DATA, "src/cli"];

export const ROOMS: readonly Room[] = [
  { folder: "src", what: "the worker; its prompts, skills and webhooks as data", may: ["src"] },
  {
    folder: "src/cairn",
    what: "createCairn: a project's agents, tools and plugins as a worker and its Durable Objects",
    may: ["src/cairn"],
  },
  ...MCP_CLIENT.map(([folder, what]) => ({ folder: `src/plugins/${folder}`, what, may: MCP_CLIENT_MAY })),
  ...MCP_SERVER.map(([folder, what]) => ({ folder: `src/plugins/${folder}`, what, may: MCP_SERVER_MAY })),
  ...PLUGINS.map(([name, what]) => ({
    folder: `src/plugins/${name}`,
    what,
    may: [
      ...PLUGIN,
      `src/plugins/${name.split("/")[0]}`,
      ...(name.startsWith("rehearsal") ? ["src/cairn/models/script"] : []),
    ],
  })),
  {
    folder: "src/cairn/outbound",
    what: "requests to addresses that a model or a person names; nothing else sends them",
    may: ["src/cairn/core", "src/cairn/outbound", TIME_LIMIT],
  },
  {
    folder: "src/cairn/documents",
    what: "pages and files as text",
    may: ["src/cairn/core", "src/cairn/documents", "src/cairn/outbound", "build/modules"],
  },
  {
    folder: "src/cairn/uploads",
    what: "files that people send to a session",
    may: ["src/cairn/core", "src/cairn/documents", "src/cairn/uploads", "build/modules"],
  },
  {
    folder: "src/plugins/cms",
    what: "the plugin of the site: its pack of tools, jobs and routes",
    may: [
      BINDINGS,
      "src/cairn/plugin.ts",
      ...TOOLS,
      ...HTTP_KIT,
      "src/cairn/models",
      "build/modules",
      "src/plugins/cms",
      "src/cairn/protocol/variables.ts",
    ],
  },
  {
    folder: "src/plugins/cms/embedding",
    what: "the embedding model",
    may: [...CMS_PART, "src/cairn/config/endpoints.ts", "src/cairn/protocol/variables.ts"],
  },
  ...CMS_PARTS.map(([name, what]) => ({ folder: `src/plugins/cms/${name}`, what, may: CMS_PART })),
  {
    folder: "src/plugins/cms/http",
    what: "changes to the site without a run",
    may: [
      BINDINGS,
      "src/cairn/core",
      ...DATA,
      "src/cairn/session/api",
      "src/cairn/http",
      "src/cairn/tools",
      "src/plugins/cms",
    ],
  },
  {
    folder: "src/plugins/cms/renderer",
    what: "the public website",
    may: [BINDINGS, ...PAGES_OF_SITE, "src/cairn/protocol/signed", ...HTTP_KIT],
  },
  {
    folder: "src/plugins/cms/renderer/api",
    what: "routes of the API for the site",
    may: [BINDINGS, ...PAGES_OF_SITE, ...DATA, ...HTTP_KIT, "src/cairn/session/api"],
  },
  {
    folder: "src/plugins/cms/protocol",
    what: "answers of the routes of the site, and its file format; the page and commands read them",
    may: ["src/cairn/core", "src/cairn/protocol", "src/plugins/cms/protocol"],
  },
  { folder: "src/plugins/cms/renderer/html", what: "HTML, safely", may: PAGES_OF_SITE },
  { folder: "src/plugins/cms/renderer/pages", what: "pages, feeds, the sitemap", may: PAGES_OF_SITE },
  { folder: "src/plugins/cms/renderer/templates", what: "a section as HTML", may: PAGES_OF_SITE },
  { folder: "src/cairn/testing", what: "a session on Node, for the tests of a project", may: ["src"] },
  {
    folder: "src/plugins/channels",
    what: "the plugin of channels: messages from and to people",
    may: [
      BINDINGS,
      "src/cairn/plugin.ts",
      "src/cairn/http",
      "src/cairn/session",
      "src/cairn/tools",
      ...CHANNELS,
    ],
  },
  {
    folder: "src/plugins/channels/http",
    what: "incoming messages of channels, and their senders",
    may: [...HTTP, "src/cairn/documents", "src/plugins/channels"],
  },
  {
    folder: "src/plugins/channels/session",
    what: "outgoing messages of channels: answers, cards",
    may: [...SESSION, "src/plugins/channels", "src/cairn/tools"],
  },
  {
    folder: "src/plugins/channels/intake",
    what: "the Durable Object that collects the parts of one message",
    may: [BINDINGS, "src/plugins/channels"],
  },
  {
    folder: "src/plugins/channels/tools",
    what: "the tool that sends a message",
    may: [...TOOLS, "src/plugins/channels"],
  },
  {
    folder: "src/plugins/channels/people",
    what: "people on channels, and their sessions",
    may: CHANNELS,
  },
  {
    folder: "src/plugins/channels/text",
    what: "Markdown in the format and length of each channel",
    may: [...CHANNELS, "build/modules"],
  },
  { folder: "src/plugins/channels/telegram", what: "Telegram: bots", may: CHANNELS },
  { folder: "src/plugins/channels/slack", what: "Slack: apps", may: CHANNELS },
  {
    folder: "src/plugins/channels/email",
    what: "mail: Cloudflare's Email Routing in, its binding out",
    may: [...CHANNELS, "src/cairn/documents/markup.ts", ...HTTP_KIT, "build/modules"],
  },
  {
    folder: "src/plugins/channels/webpush",
    what: "notifications of browsers",
    may: [...CHANNELS, ...HTTP_KIT, "src/cairn/outbound/safe-url.ts", "src/cairn/session/api"],
  },
  {
    folder: CHANNEL_PROTOCOL,
    what: "answers of the routes of channels: for the page too",
    may: ["src/cairn/core", "src/cairn/protocol", CHANNEL_PROTOCOL],
  },
  {
    folder: PUSH_PROTOCOL,
    what: "answers of the routes of push, and the data of a push: for the page too",
    may: ["src/cairn/core", "src/cairn/protocol"],
  },
  {
    folder: "src/agents",
    what: "the agents of this deployment",
    may: ["src/cairn/definitions.ts"],
  },
  {
    folder: "src/cairn/agents",
    what: "defineAgent: definitions and budgets of agents",
    may: ["src/cairn/core"],
  },
  {
    folder: "src/cairn/agents/stored",
    what: "agents stored as JSON over the API",
    may: ["src/cairn/core", "src/cairn/agents", "src/cairn/tools", ...DATA],
  },
  {
    folder: "src/cairn/core",
    what: "numbers and tables; schedules; the trace of a run",
    may: ["src/cairn/core"],
  },
  ...coreRooms,
  {
    folder: "src/cairn/models",
    what: "one model call: providers, streaming",
    may: ["src/cairn/core", "src/cairn/models", CALL_PROMPTS, "build/modules"],
  },
  {
    folder: "src/cairn/models/script",
    what: "models that follow a script: replies from the conversation alone, `/call` lines",
    may: ["src/cairn/core", "src/cairn/models/script"],
  },
  {
    folder: "src/cairn/protocol",
    what: "schemas of all data that crosses a boundary",
    may: PROTOCOL,
  },
  {
    folder: "src/cairn/config",
    what: "the configuration, parsed once",
    may: [...PROTOCOL, "src/cairn/config", "src/cairn/webhooks", TAIL],
  },
  {
    folder: "src/cairn/protocol/run-spec",
    what: "the specification of a run, and its errors",
    may: PROTOCOL,
  },
  {
    folder: "src/cairn/protocol/answers",
    what: "answers of routes, where several files share them",
    may: PROTOCOL,
  },
  {
    folder: "src/cairn/protocol/signed",
    what: "signed links and tickets",
    may: PROTOCOL,
  },
  {
    folder: "src/cairn/protocol/stream",
    what: "entries as chunks of the AI SDK's stream",
    may: PROTOCOL,
  },
  {
    folder: "src/cairn/webhooks",
    what: "rules, templates, signatures, notices",
    may: [...PROTOCOL, "src/cairn/webhooks"],
  },
  { folder: "src/cairn/tools", what: "defineTool, the registry, the packs", may: TOOLS },
  {
    folder: "src/cairn/tools/agents",
    what: "the tool that starts another run",
    may: [...TOOLS, "src/cairn/protocol/run-spec"],
  },
  { folder: "src/cairn/tools/builtin", what: "memory, plan, questions, completion", may: TOOLS },
  { folder: "src/cairn/tools/messaging", what: "tools that schedule later work", may: TOOLS },
  {
    folder: "src/cairn/tools/requests",
    what: "requests to APIs, and their secrets",
    may: TOOLS,
  },
  {
    folder: "src/cairn/tools/stored",
    what: "tools as data: request templates and OpenAPI documents",
    may: [...TOOLS, "src/cairn/protocol/json.ts", "build/modules"],
  },
  {
    folder: "src/cairn/tools/input",
    what: "schemas for models, and parsed input",
    may: TOOLS,
  },
  {
    folder: "src/cairn/session",
    what: "the Durable Object, which assembles the parts",
    may: ["src", "build/modules"],
  },
  {
    folder: "src/cairn/session/engine",
    what: "one step: claim, perform, commit. Knows no platform",
    may: ["src/cairn/core", "src/cairn/session/engine", TAIL, CALL_PROMPTS, NOTE_PROMPTS],
  },
  {
    folder: "src/cairn/session/engine/family",
    what: "entries for the start and report of a child",
    may: ["src/cairn/core", "src/cairn/session/engine", TAIL, NOTE_PROMPTS],
  },
  {
    folder: "src/cairn/session/family",
    what: "messages between parent and child sessions",
    may: SESSION,
  },
  {
    folder: "src/cairn/session/storage",
    what: "SQLite of the session",
    may: [...SESSION, "src/cairn/outbound", "src/cairn/tools", "src/cairn/uploads"],
  },
  {
    folder: "src/cairn/session/api",
    what: "types and refusals of commands, and readers of the log",
    may: SESSION,
  },
  {
    folder: "src/cairn/session/commands",
    what: "commands of a session: their table, and the parts that execute them",
    may: [...SESSION, "src/cairn/agents", "src/cairn/tools"],
  },
  {
    folder: "src/cairn/session/runs",
    what: "accepting a run: agent, specification, targets, rights",
    may: [...SESSION, "src/cairn/agents", "src/cairn/tools"],
  },
  { folder: "src/cairn/session/links", what: "read-only links", may: SESSION },
  {
    folder: "src/cairn/session/sockets",
    what: "WebSocket and SSE",
    may: [...SESSION, "build/modules"],
  },
  {
    folder: "src/cairn/session/background",
    what: "schedules, deliveries, the indexes in D1",
    may: [...SESSION, CALL_PROMPTS, NOTE_PROMPTS],
  },
  { folder: "src/cairn/http", what: "the HTTP app", may: HTTP },
  { folder: "src/cairn/http/kit", what: "shared code of routes", may: [...HTTP, "build/modules"] },
  {
    folder: "src/cairn/http/routes",
    what: "one file for each group of URLs",
    may: [...HTTP, "src/cairn/tools"],
  },
  { folder: "src/cairn/http/runs", what: "routes of runs as data", may: HTTP },
  {
    folder: "src/cairn/http/agents",
    what: "routes of agents",
    may: [...HTTP, "src/cairn/agents", "src/cairn/tools"],
  },
  {
    folder: "src/cairn/http/tools",
    what: "routes of tools as data",
    may: ["build/modules", ...HTTP, "src/cairn/tools"],
  },
  {
    folder: "src/cairn/http/uploads",
    what: "files and pictures that people send",
    may: [...HTTP, "src/cairn/documents", "src/cairn/uploads"],
  },
  { folder: "src/cairn/http/links", what: "links by which a person decides or reads", may: HTTP },
  {
    folder: "src/cli/channels",
    what: "npm run channels and npm run channels:demo",
    may: [...ON_NODE, "src/plugins/channels", "scripts/channels-demo"],
  },
  {
    folder: "src/cli/chat",
    what: "npm run chat",
    may: [...ON_NODE, "src/plugins/rehearsal/answer-words.ts"],
  },
  { folder: "src/cli/chat/approvals", what: "decisions in the terminal", may: ON_NODE },
  { folder: "src/cli/chat/screen", what: "input, output, and layout of the terminal", may: ON_NODE },
  {
    folder: "src/cli",
    what: "the commands of the package; paths of project and package",
    may: ON_NODE,
  },
  { folder: "src/cli/create", what: "npm run create: a project that uses the package", may: ON_NODE },
  { folder: "src/cli/types", what: "npm run types: the types of the runtime and the bindings", may: ON_NODE },
  { folder: "src/cli/update", what: "cairn update", may: ON_NODE },
  {
    folder: "src/cli/deploy",
    what: "npm run deploy",
    may: [
      ...ON_NODE,
      "src/plugins/channels",
      "src/plugins/cms/settings.ts",
      "src/plugins/code/secrets.ts",
      "src/plugins/mcp-client/settings.ts",
      "src/plugins/scholar/secrets.ts",
      "src/plugins/web/secrets.ts",
    ],
  },
  { folder: "src/cli/replay", what: "npm run replay", may: ON_NODE },
  { folder: "src/cli/rollouts", what: "npm run rollouts", may: ON_NODE },
  { folder: "src/cli/site", what: "npm run site", may: [...ON_NODE, SITE_PROTOCOL] },
  {
    folder: "src/cli/start",
    what: "npm start",
    may: [...ON_NODE, "scripts/demo-web", "src/plugins/channels/webpush"],
  },
  { folder: "src/page", what: "the page at /, in the browser", may: [...PAGE, PUSH_PROTOCOL] },
  { folder: "src/page/agents", what: "the agent and its tools", may: PAGE },
  { folder: "src/page/approvals", what: "approval cards and the inbox", may: PAGE },
  { folder: "src/page/approvals/cards", what: "cards for several approvals, and for budgets", may: PAGE },
  { folder: "src/page/approvals/edit", what: "editing a call before approval", may: PAGE },
  {
    folder: "src/page/branches",
    what: "child runs of a conversation",
    may: PAGE,
  },
  { folder: "src/page/chat", what: "the conversation", may: PAGE },
  { folder: "src/page/chat/message", what: "one message with its steps and outcome", may: PAGE },
  { folder: "src/page/memory", what: "the memory of the session", may: PAGE },
  { folder: "src/page/new-run", what: "the form that starts a run", may: PAGE },
  { folder: "src/page/open-session", what: "the session that is open, and its connection", may: PAGE },
  { folder: "src/page/parts", what: "what several panels draw", may: [...PAGE, CHANNEL_PROTOCOL] },
  { folder: "src/page/parts/citations", what: "the marks of an answer, and what they stand for", may: PAGE },
  { folder: "src/page/parts/markdown", what: "text of a model as a document", may: PAGE },
  {
    folder: "src/page/preferences",
    what: "theme, notifications, usage, the tools",
    may: [...PAGE, CHANNEL_PROTOCOL, PUSH_PROTOCOL],
  },
  { folder: "src/page/preferences/notify", what: "where and when a person is written to", may: PAGE },
  { folder: "src/page/log-text", what: "entries of the log as sentences", may: PAGE },
  { folder: "src/page/sent", what: "messages to people, and their delivery", may: PAGE },
  { folder: "src/page/session-list", what: "the list on the left", may: PAGE },
  { folder: "src/page/settings", what: "settings of a session", may: PAGE },
  { folder: "src/page/settings/alone", what: "check-ins and unattended work", may: PAGE },
  { folder: "src/page/shared", what: "the view of a read-only link", may: PAGE },
  { folder: "src/page/shell", what: "the frame of the page", may: PAGE },
  { folder: "src/page/site", what: "the preview of the site", may: [...PAGE, SITE_PROTOCOL] },
  { folder: "src/page/trace", what: "the timeline of a run", may: PAGE },
  { folder: "src/page/trace/children", what: "child runs in the timeline", may: PAGE },
  { folder: "src/page/trace/run", what: "request, tools, and result of a run", may: PAGE },
  { folder: "src/page/trace/items", what: "one item of the timeline", may: PAGE },
  {
    folder: "src/page/welcome",
    what: "the first visit, and the sign-in",
    may: [...PAGE, SITE_PROTOCOL],
  },
  {
    folder: "scripts/package",
    what: "build of the packed library",
    may: ["src/cairn/testing", "src/cli/start", "src/cli/update"],
  },
  {
    folder: "scripts/seed",
    what: "generator of the sample site",
    may: ["src/cairn/core", "src/plugins/cms"],
  },
  {
    folder: "scripts/demo-web",
    what: "a web of invented pages, for npm start -- --demo-web",
    may: ["scripts/demo-web"],
  },
  {
    folder: "scripts/demo-web/pages",
    what: "texts of the invented pages",
    may: ["scripts/demo-web"],
  },
  {
    folder: "scripts/channels-demo",
    what: "Telegram and Slack on this machine, for tests and npm run channels:demo",
    may: ["scripts/channels-demo"],
  },
  {
    folder: "build/on-demand",
    what: "sources of the modules that are loaded on demand",
    may: [
      "src/plugins/plain-words",
      "src/plugins/rehearsal/model.ts",
      "src/plugins/channels/text",
      "src/plugins/cms/renderer",
      "src/cairn/documents",
      "src/cairn/models",
      "src/cairn/http/agents/field-docs.ts",
      ...HTTP_KIT,
      "src/cairn/protocol/run-spec/field-docs.ts",
      "src/cairn/session/engine",
      "src/cairn/tools/stored",
    ],
  },
  { folder: "build/modules", what: "modules loaded on demand", may: [] },
];

export const folderOf = (file: string): string => path.posix.dirname(file);

/** The topmost folders of a project's own tools and plugins, which need no place in the list. */
const OWN_FOLDER = /^src\/(?:plugins\/)?[^/]+/;

const isListed = (top: string): boolean =>
  ROOMS.some(({ folder }) => folder === top || folder.startsWith(`${top}/`));

function ownRoom(folder: string): Room | undefined {
  const [top] = OWN_FOLDER.exec(folder) ?? [];
  if (top === undefined || isListed(top)) return undefined;
  return { folder, what: "this project's own", may: ["src"] };
}

export const roomOf = (folder: string): Room | undefined =>
  ROOMS.find((room) => room.folder === folder) ?? ownRoom(folder);

/** `file → import` for every import of a file of the project that its room may not have. */
export function straysFrom(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const folder = folderOf(file.path);
    const room = roomOf(folder);
    const allowed = (target: string): boolean =>
      folderOf(target) === folder ||
      (room?.may ?? []).some((may) => target === may || target.startsWith(`${may}/`));
    return file.files
      .filter((target) => /\.tsx?$/.test(target) && !allowed(target))
      .map((target) => `${file.path} → ${target}`);
  });
}

/** Every circle of files, types included: the files that reach one another, each group once. */
export function circlesOf(files: readonly Pick<SourceFile, "path" | "files">[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file.files]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const lower = (file: string, value: number): void => {
    low.set(file, Math.min(low.get(file) ?? value, value));
  };
  // Tarjan's strongly connected components.
  const visit = (file: string): void => {
    index.set(file, index.size);
    lower(file, index.size - 1);
    stack.push(file);
    for (const next of byPath.get(file) ?? []) {
      if (!byPath.has(next)) continue;
      const seen = index.get(next);
      if (seen === undefined) {
        visit(next);
        lower(file, low.get(next) ?? 0);
      } else if (stack.includes(next)) lower(file, seen);
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1 || (byPath.get(file) ?? []).includes(file)) circles.push(group.toSorted());
  };
  for (const { path: file } of files) if (!index.has(file)) visit(file);
  return circles;
}

/** Table that `npm run house` prints: a row for each folder. */
export function tableOf(files: readonly SourceFile[]): string {
  const rows = ROOMS.map(({ folder, what, may }) => {
    const own = files.filter((file) => folderOf(file.path) === folder);
    const lines = own.reduce((sum, file) => sum + file.lines, 0);
    return `| \`${folder}\` | ${own.length} | ${lines} | ${what} | ${shorten(folder, may)} |`;
  });
  return [
    "| room | files | lines | what it is | may import |",
    "| --- | --: | --: | --- | --- |",
    ...rows,
  ].join("\n");
}

/** The numbers of the core are read by all of it; its rooms are named without their folder. */
function shorten(folder: string, may: readonly string[]): string {
  const isOrdered = folder.startsWith("src/cairn/core/");
  const names = may
    .filter((each) => each !== folder && !(isOrdered && BOTTOM.includes(each)))
    .map((each) => each.replace(isOrdered ? "src/cairn/core/" : "src/", ""));
  if (may.includes("src")) return "everything";
  return names.join(", ") || (isOrdered ? "numbers" : "nothing");
}

/** Pairs of folders of one parent of which each imports the other, with an import of the direction that has fewer. */
export function mutualSiblings(files: readonly Pick<SourceFile, "path" | "files">[]): string[] {
  const imports = new Map<string, string[]>();
  for (const { path: file, files: targets } of files)
    for (const target of targets) {
      const [from, to] = [folderOf(file).split("/"), folderOf(target).split("/")];
      const at = from.findIndex((name, index) => name !== to[index]);
      if (at < 0 || at >= to.length || to[0] !== from[0]) continue;
      const pair = [from, to].map((parts) => parts.slice(0, at + 1).join("/")).join(" → ");
      imports.set(pair, [...(imports.get(pair) ?? []), `${file} → ${target}`]);
    }
  return [...imports].flatMap(([pair, found]) => {
    const back = imports.get(pair.split(" → ").toReversed().join(" → ")) ?? [];
    const isFewer = found.length < back.length || (found.length === back.length && pair < (back[0] ?? ""));
    return back.length > 0 && isFewer ? [`${pair}: ${found.join(", ")}`] : [];
  });
}
