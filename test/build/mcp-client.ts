import { writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "vite";
import { PROJECT } from "../../src/cli/places.ts";

/**
 * Makes `build/modules/mcp-client.mjs`, one file of the package `@modelcontextprotocol/client` and what it needs, for the
 * runtime of workers: what lies beside the worker is not bundled, so it must import nothing. Run it after one of those
 * packages changed; a test tells when.
 */

const MODULES = path.join(PROJECT, "build/modules");
export const MCP_CLIENT_FILE = path.join(MODULES, "mcp-client.mjs");

export async function bundleMcpClient(): Promise<string> {
  const made = await build({
    configFile: false,
    root: MODULES,
    logLevel: "error",
    // The package has a part for each runtime; that of workers makes no code from text.
    resolve: { conditions: ["workerd", "worker", "browser", "import"] },
    build: {
      write: false,
      target: "es2023",
      // Said below: of a library vite itself leaves the blanks. What it would say on the console is for its own developers.
      minify: false,
      rolldownOptions: {
        output: {
          minify: { compress: { dropConsole: true }, mangle: true, codegen: { removeWhitespace: true } },
        },
      },
      lib: { entry: path.join(MODULES, "mcp-client.entry.ts"), formats: ["es"], fileName: "mcp-client" },
    },
  });
  const [first] = [made].flat();
  const chunk = first !== undefined && "output" in first ? first.output[0] : undefined;
  if (chunk?.type !== "chunk" || chunk.imports.length > 0) throw new Error("the MCP client is not one file");
  return chunk.code;
}

if (import.meta.main) writeFileSync(MCP_CLIENT_FILE, await bundleMcpClient());
