import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** The person's editor; null where they have named none. */
export function editorOf(environment: { readonly [name: string]: string | undefined }): string | null {
  const [visual, editor] = [environment["VISUAL"], environment["EDITOR"]];
  // npm puts vi in the place of nothing, and who has not asked for it does not get out of it.
  return visual || (editor === "vi" ? null : editor) || null;
}

/** Opens a text in the person's editor, as git does: the command goes through a shell. The text as they left it; null when the editor failed. */
export async function openEditor(command: string, text: string): Promise<string | null> {
  const folder = await mkdtemp(path.join(tmpdir(), "cairn-"));
  const file = path.join(folder, "arguments.json");
  try {
    await writeFile(file, `${text}\n`, { mode: 0o600 });
    const child = spawn("sh", ["-c", `${command} "$1"`, "sh", file], { stdio: "inherit" });
    const code = await new Promise<number | null>((resolve) => {
      child.once("error", () => resolve(null));
      child.once("close", resolve);
    });
    return code === 0 ? await readFile(file, "utf8") : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
