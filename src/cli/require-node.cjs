// Loaded before a .ts entry (`node --require`), in plain JavaScript: an older Node cannot read the entry itself,
// and would answer with ERR_UNKNOWN_FILE_EXTENSION instead of a sentence.
const [major, minor] = process.versions.node.split(".").map(Number);
const runsTypeScript = major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
if (!runsTypeScript) {
  console.error(
    [
      `Cairn needs Node 22.18 or newer; this is Node ${process.versions.node} (${process.execPath}).`,
      "`npm install` puts a newer one into node_modules/.bin, which npm uses for its scripts: start Cairn with",
      "`npm start` and `npm run chat` rather than with `node`. If you did: run `npm install` again, and allow its",
      "install scripts (without `--ignore-scripts`), because one of them fetches that Node.",
    ].join("\n"),
  );
  process.exit(1);
}

// Compiled modules are cached, so that loading the sources takes half the time. The cache is not in the system's temporary
// folder, because other users of the machine could put code there.
require("node:module").enableCompileCache(
  require("node:path").join(__dirname, "../../node_modules/.cache/compiled"),
);

// The worker's bundle holds prompts as text (the rule `type = "Text"` of wrangler.toml). Scripts that load a part of
// the worker in Node read them the same way.
const { readFileSync } = require("node:fs");
const { registerHooks } = require("node:module");
const { fileURLToPath } = require("node:url");
const { TEXT_ENDINGS, textModule } = require("../cairn/testing/text-modules.ts");

const loadText = (url, context, nextLoad) => {
  if (!url.startsWith("file:") || !TEXT_ENDINGS.some((ending) => url.endsWith(ending)))
    return nextLoad(url, context);
  const source = textModule(url, readFileSync(fileURLToPath(url), "utf8"));
  return { format: "module", shortCircuit: true, source };
};
registerHooks({ load: loadText });
