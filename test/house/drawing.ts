import type { SourceFile } from "./source-tree.ts";

/**
 * The drawing of the folders in ARCHITECTURE.md. Its arrows are the imports of the source, which architecture.test.ts holds to the
 * directions in rooms.ts. Arrows that follow from others are left out.
 */

interface Box {
  readonly id: string;
  /** label: folders, and what they are for */
  readonly label: string;
  readonly files: RegExp;
}

/** Files that only import the core, and that everything imports: an arrow to them says nothing. */
const EVERYWHERE =
  /^src\/cairn\/(?:core\/[^/]+|(?:bindings|operator-log|time-limit|cairn-error|plain-json|prompts|call-prompts|prompt-notes)\.ts)$/;

const CORE: readonly Box[] = [
  { id: "loop", label: "loop: what happens next", files: /^src\/cairn\/core\/loop\// },
  { id: "prompt", label: "prompt: what the model reads", files: /^src\/cairn\/core\/prompt\// },
  { id: "family", label: "family: runs that start runs", files: /^src\/cairn\/core\/family\// },
  {
    id: "guards",
    label: "guards: permissions, budgets, loops, review",
    files: /^src\/cairn\/core\/guards\//,
  },
  { id: "entries", label: "entries: entries made in several places", files: /^src\/cairn\/core\/entries\// },
  { id: "state", label: "state: what an entry changes", files: /^src\/cairn\/core\/state\// },
  { id: "dialects", label: "dialects: how models are asked", files: /^src\/cairn\/core\/dialects\// },
  { id: "text", label: "text: secrets, sentences", files: /^src\/cairn\/core\/text\// },
  { id: "log", label: "log: what is stored", files: /^src\/cairn\/core\/log\// },
];

const KERNEL: readonly Box[] = [
  {
    id: "assembly",
    label: "createCairn, and the Durable Object in session/session.ts",
    files: /^src\/cairn\/(?:session\/)?[^/]+$/,
  },
  { id: "http", label: "http: routes", files: /^src\/cairn\/http\// },
  { id: "sockets", label: "session/sockets", files: /^src\/cairn\/session\/sockets\// },
  {
    id: "session",
    label: "session: api, commands, runs, family, links, background, storage",
    files: /^src\/cairn\/session\/(?:api|commands|runs|family|links|background|storage)\//,
  },
  { id: "engine", label: "session/engine: one step", files: /^src\/cairn\/session\/engine\// },
  { id: "agents", label: "agents: defineAgent", files: /^src\/cairn\/agents\// },
  { id: "models", label: "models: providers", files: /^src\/cairn\/models\// },
  { id: "tools", label: "tools: defineTool, built-in tools", files: /^src\/cairn\/tools\// },
  { id: "uploads", label: "uploads: files that people send", files: /^src\/cairn\/uploads\// },
  { id: "documents", label: "documents: pages and files as text", files: /^src\/cairn\/documents\// },
  { id: "outbound", label: "outbound: requests that leave", files: /^src\/cairn\/outbound\// },
  {
    id: "data",
    label: "protocol, config, webhooks: data that crosses a boundary",
    files: /^src\/cairn\/(?:protocol|config|webhooks)\//,
  },
];

const TOP: readonly Box[] = [
  { id: "cli", label: "cli: commands, on Node", files: /^src\/cli\// },
  { id: "page", label: "page: in the browser", files: /^src\/page\// },
  {
    id: "answers",
    label: "plugins/…/protocol: answers of a plugin's routes",
    files: /^src\/plugins\/(?:[^/]+\/)+protocol\//,
  },
  { id: "plugins", label: "plugins: cms, web, channels, …", files: /^src\/plugins\// },
  { id: "testing", label: "cairn/testing: sessions on Node", files: /^src\/cairn\/testing\// },
  // Last: every other folder of src is a project's own.
  { id: "worker", label: "worker.ts, agents: the project", files: /^src\/(?!cairn\/)/ },
];

const BOXES = [...CORE, ...KERNEL, ...TOP];

/** The box of a file; null for a file that everything imports. Throws for a folder that no box has. */
function boxOf(file: string): string | null {
  if (EVERYWHERE.test(file)) return null;
  const box = BOXES.find(({ files }) => files.test(file));
  if (box === undefined) throw new Error(`${file} is in no box of test/house/drawing.ts`);
  return box.id;
}

export type Arrows = ReadonlyMap<string, ReadonlySet<string>>;

/** Arrows between boxes: each import of a file in `src`. */
function importsOf(files: readonly Pick<SourceFile, "path" | "files">[]): Arrows {
  const arrows = new Map(BOXES.map(({ id }) => [id, new Set<string>()]));
  for (const file of files) {
    const from = boxOf(file.path);
    if (from === null) continue;
    for (const target of file.files) {
      if (!/^src\/.*\.tsx?$/.test(target)) continue;
      const to = boxOf(target);
      if (to !== null && to !== from) arrows.get(from)?.add(to);
    }
  }
  return arrows;
}

/** Arrows that do not follow from others. Throws when arrows form a circle. */
export function withoutShortcuts(arrows: Arrows): Arrows {
  const below = (from: string, path: readonly string[]): ReadonlySet<string> => {
    if (path.includes(from)) throw new Error(`a circle: ${[...path, from].join(" → ")}`);
    const next = [...(arrows.get(from) ?? [])];
    return new Set(next.flatMap((to) => [to, ...below(to, [...path, from])]));
  };
  return new Map(
    [...arrows].map(([from, targets]) => {
      const others = (to: string) => [...targets].filter((other) => other !== to);
      const follows = (to: string) => others(to).some((other) => below(other, [from]).has(to));
      return [from, new Set([...targets].filter((to) => !follows(to)))];
    }),
  );
}

/** The drawing as a flowchart of Mermaid. `files`: the files of `src`. */
export function drawingOf(files: readonly Pick<SourceFile, "path" | "files">[]): string {
  const arrows = withoutShortcuts(importsOf(files));
  const boxes = (list: readonly Box[], indent: string) =>
    list.map(({ id, label }) => `${indent}${id}["${label}"]`);
  const lines = BOXES.flatMap(({ id }) => {
    const targets = BOXES.filter((box) => arrows.get(id)?.has(box.id));
    return targets.length === 0 ? [] : [`    ${id} --> ${targets.map((box) => box.id).join(" & ")}`];
  });
  return [
    "flowchart TB",
    ...boxes(TOP, "    "),
    '    subgraph cairn["src/cairn: the kernel"]',
    ...boxes(KERNEL, "        "),
    '        subgraph core["core: pure"]',
    ...boxes(CORE, "            "),
    "        end",
    "    end",
    ...lines,
  ].join("\n");
}

const OPEN = "<!-- drawing: npm run docs -->";
const CLOSE = "<!-- /drawing -->";

/** A page with its drawing written anew. Throws when it has no place for one. */
export function withDrawing(page: string, drawing: string): string {
  const from = page.indexOf(OPEN);
  const to = page.indexOf(CLOSE);
  if (from < 0 || to < from) throw new Error(`there is no ${OPEN} … ${CLOSE}`);
  return `${page.slice(0, from + OPEN.length)}\n\n\`\`\`mermaid\n${drawing}\n\`\`\`\n\n${page.slice(to)}`;
}
