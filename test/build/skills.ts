import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

/**
 * Makes build/modules/skills.mjs: what of agents/skills reads skills, with the YAML parser that it needs, as one file that is
 * uploaded beside the worker. A test holds the file against what this makes (test/house/built-modules.test.ts). After an update of the
 * package: `node --require ./src/cli/require-node.cjs test/build/skills.ts`.
 */
export const SKILLS_FILE = path.join(import.meta.dirname, "../../build/modules/skills.mjs");

const NOTICE = `/*! Made by test/build/skills.ts. agents: MIT License, Copyright (c) 2025 Cloudflare, Inc. yaml: ISC License, Copyright Eemeli Aro
<eemeli@gmail.com>: permission to use, copy, modify, and/or distribute it is granted, provided that this notice appears in all
copies; it is provided "as is", without any warranty. The licences are in the packages. */`;

export async function packSkills(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      target: "es2023",
      lib: { entry: path.join(import.meta.dirname, "../../build/modules/skills-source.ts"), formats: ["es"] },
      // A library is built to be read; this is not.
      rolldownOptions: { output: { minify: true } },
    },
  });
  const [output] = Array.isArray(made) ? made : [made];
  if (output === undefined || !("output" in output)) throw new Error("nothing was built");
  const [chunk] = output.output;
  return `${NOTICE}\n${chunk.code}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(SKILLS_FILE, await packSkills());
