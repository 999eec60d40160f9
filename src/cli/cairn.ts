import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { isOutsideProject, PROJECT } from "./places.ts";

/** `cairn COMMAND [options]`: the commands of Cairn in a project that uses the package. */

/** Each reads its own options from `process.argv`. */
const COMMANDS: Readonly<
  Record<string, { readonly about: string; readonly anywhere?: true; load(): Promise<unknown> }>
> = {
  start: { about: "runs the project on this machine", load: () => import("./start/start.ts") },
  chat: { about: "a conversation in the terminal", load: () => import("./chat/chat.ts") },
  deploy: {
    about: "deploys the project to your Cloudflare account; --check only looks",
    load: () => import("./deploy/deploy.ts"),
  },
  create: {
    about: "writes a new project into a folder",
    anywhere: true,
    load: () => import("./create/create.ts"),
  },
  update: {
    about: "shows what changed in Cairn, and checks the project",
    load: () => import("./update/update.ts"),
  },
  channels: { about: "connects Telegram", load: () => import("./channels/channels.ts") },
  replay: { about: "shows a session's log step by step", load: () => import("./replay/replay.ts") },
  rollouts: {
    about: "runs questions several times, and judges the answers",
    load: () => import("./rollouts/rollouts.ts"),
  },
  types: { about: "writes the types of the project's bindings", load: () => import("./types/types.ts") },
  site: { about: "exports and imports a site", load: () => import("./site/site.ts") },
};

const NODE = { major: 22, minor: 18 } as const;

function isNodeNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > NODE.major || (major === NODE.major && minor >= NODE.minor);
}

/** The Node that the project has installed; null: it has none. */
function installedNode(): string | null {
  const file = path.join(
    PROJECT,
    "node_modules/node/bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
  return existsSync(file) && file !== process.execPath ? file : null;
}

const usage = (): string =>
  [
    "cairn COMMAND [options]; `cairn COMMAND --help` shows them",
    ...Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(10)}${about}`),
  ].join("\n");

async function main(name: string | undefined): Promise<void> {
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const isHelp = name === "--help" || name === "-h" || name === "help";
    (isHelp ? console.log : console.error)(
      isHelp || name === undefined ? usage() : `There is no command ${name}.\n${usage()}`,
    );
    process.exitCode = isHelp ? 0 : 2;
    return;
  }
  if (!isNodeNewEnough(process.versions.node)) {
    process.exitCode = runWithNewerNode();
    return;
  }
  if (command.anywhere !== true && isOutsideProject()) {
    console.error(
      "There is no wrangler.toml here, nor in a folder above. Go to the folder of your project first.",
    );
    process.exitCode = 2;
    return;
  }
  process.argv.splice(2, 1);
  await command.load();
}

function runWithNewerNode(): number {
  const node = installedNode();
  if (node === null) {
    console.error(
      `Cairn needs Node ${NODE.major}.${NODE.minor} or newer; this is Node ${process.versions.node}. Install a newer one, or add it to the project: npm install --save-dev node`,
    );
    return 1;
  }
  return spawnSync(node, process.argv.slice(1), { stdio: "inherit" }).status ?? 1;
}

await main(process.argv[2]);
