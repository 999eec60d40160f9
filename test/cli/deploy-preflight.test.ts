import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bundleFinding } from "../../src/cli/deploy/preflight-build.ts";
import type { Health } from "../../src/cli/start/health.ts";
import { loadFindings } from "../../src/cli/deploy/preflight-load.ts";
import { preflight } from "../../src/cli/deploy/preflight.ts";
import { readConfig, readProject, rememberApplied, type Project } from "../../src/cli/start/project.ts";
import { project, SOUND } from "./deploy-fixture.ts";
import { ROOT } from "../house/source-tree.ts";

/** Output of `npm run deploy -- --check` for a project with one fault: the problem, its subject, and the remedy. */

const stopsOf = (of: Project): string[] =>
  preflight(of)
    .filter((each) => each.kind === "stop")
    .map((each) => `${each.about}: ${each.what}`);
const notesOf = (of: Project): string[] =>
  preflight(of)
    .filter((each) => each.kind === "note")
    .map((each) => `${each.about}: ${each.what}`);
const vars = (added: Record<string, unknown>): Project => project({ vars: { ...SOUND.vars, ...added } });
const [DATABASE] = SOUND.d1_databases ?? [];
const database = (changed: Record<string, unknown>): Project =>
  project({ d1_databases: [{ binding: "DB", ...DATABASE, ...changed }] });

describe("a project that is well", () => {
  test("has nothing to be fixed, and says what cannot be seen from here", () => {
    expect(stopsOf(project())).toEqual([]);
    expect(notesOf(project())).toEqual([
      "AUTH_TOKENS: It is a secret and cannot be seen from here. Without it every request is answered with 401.",
    ]);
  });

  test("is this one", () => {
    expect(stopsOf(readProject(ROOT))).toEqual([]);
    expect(readProject(ROOT).migrations.length).toBeGreaterThan(2);
  });
});

describe("each fault has its sentence", () => {
  test.each<readonly [fault: string, of: Project, sentence: RegExp]>([
    [
      "an old Node",
      project({}, { node: "20.20.2" }),
      /^Node: This is Node 20\.20\.2; 22\.18 is the least\.$/,
    ],
    [
      "an unreadable file",
      project({}, { config: { kind: "problem", problem: "Unknown character" } }),
      /^wrangler\.toml: It cannot be read\. Unknown character$/,
    ],
    ["no name", project({ name: "My_Cairn" }), /^name: The worker has no name that can be an address\.$/],
    ["no date", project({ compatibility_date: undefined }), /^compatibility_date: .* does not say/],
    [
      "a date from the future",
      project({ compatibility_date: "2027-01-01" }),
      /^compatibility_date: 2027-01-01 is newer than the installed runtime, which knows 2026-08-15/,
    ],
    [
      "no nodejs_compat",
      project({ compatibility_flags: [] }),
      /^compatibility_flags: The flag nodejs_compat/,
    ],
    [
      "a wrangler.toml of before modules were loaded on demand",
      project({ find_additional_modules: undefined }),
      /^find_additional_modules: Modules that the worker loads on demand would not be uploaded\.$/,
    ],
    [
      "modules of another folder",
      project({ base_dir: "src" }),
      /^base_dir: Modules that the worker loads on demand would not be uploaded\.$/,
    ],
    ["no database", project({ d1_databases: [] }), /^DB: The binding DB is missing/],
    [
      "a database id that is none",
      database({ database_id: "00000000-0000-0000-0000-000000000000" }),
      /^DB: database_id is not the id of a database\.$/,
    ],
    ["a database without a name", database({ database_name: undefined }), /^DB: The database has no name\.$/],
    ["another folder of migrations", database({ migrations_dir: "sql" }), /^DB: migrations_dir is "sql"/],
    [
      "no migrations",
      project({}, { migrations: [] }),
      /^migrations: The folder is missing or has no migration, so the tables would not be made\.$/,
    ],
    [
      "a bucket without a name",
      project({ r2_buckets: [{ binding: "MEDIA" }] }),
      /^MEDIA: The bucket has no name/,
    ],
    ["no sessions", project({ durable_objects: {} }), /^SESSION: The binding SESSION does not name/],
    [
      "another class of the sessions",
      project({ durable_objects: { bindings: [{ name: "SESSION", class_name: "Mine" }] } }),
      /^SESSION: The binding SESSION does not name the class Session/,
    ],
    [
      "no [[migrations]]",
      project({ migrations: [] }),
      /^migrations: The first \[\[migrations\]\] .* is not the one/,
    ],
    [
      "a changed first migration of the object",
      project({ migrations: [{ tag: "v1", new_classes: ["Session"] }] }),
      /^migrations: The first \[\[migrations\]\] .* is not the one that was released/,
    ],
    [
      "a tag twice",
      project({ migrations: [...(SOUND.migrations ?? []), { tag: "v1" }] }),
      /^migrations: Two \[\[migrations\]\] have the same tag\.$/,
    ],
    [
      "a deleted class",
      project({ migrations: [...(SOUND.migrations ?? []), { tag: "v2", deleted_classes: ["Session"] }] }),
      /^migrations: v2 deletes the class Session, with every session in it\.$/,
    ],
    [
      "a migration that was edited after it was applied",
      project({}, { applied: { "0001_kernel.sql": "another" } }),
      /^migrations\/0001_kernel\.sql: It was changed after it was applied\./,
    ],
    [
      "a migration that is gone",
      project({}, { applied: { "0000_first.sql": "x" } }),
      /^migrations\/0000_first\.sql: It was applied to a deployed database and is gone\.$/,
    ],
    [
      "a new migration before one that was applied",
      project({}, { applied: { "0002_site.sql": "b" } }),
      /^migrations\/0001_kernel\.sql: It is new and stands before 0002_site\.sql/,
    ],
    [
      "a secret in wrangler.toml",
      vars({ AUTH_TOKENS: '{"a-token-of-16-chars":{"subject":"me","scopes":["read"]}}' }),
      /^AUTH_TOKENS: It stands under \[vars\] in wrangler\.toml/,
    ],
    ["anonymous for all", vars({ ALLOW_ANONYMOUS: "true" }), /^ALLOW_ANONYMOUS: It is true under \[vars\]/],
    ["a key that no client has", vars({ LOCAL_KEY: "any" }), /^LOCAL_KEY: It stands under \[vars\]/],
    ["invented pages", vars({ DEMO_WEB: "http://127.0.0.1:1" }), /^DEMO_WEB: It stands under \[vars\]/],
    [
      "anonymous as a boolean",
      vars({ ALLOW_ANONYMOUS: true }),
      /^ALLOW_ANONYMOUS: It is true under \[vars\]/,
    ],
    [
      "a variable of class C",
      vars({ ORIGINS: "*" }),
      /^ORIGINS: .* Until it is fixed, everything but \/healthz is answered with 503/,
    ],
    [
      "a limit that is none",
      vars({ LIMITS: { bodyBytes: -1 } }),
      /^LIMITS: bodyBytes must be a positive integer\./,
    ],
    [
      "a model that is none",
      vars({ MODEL: "gpt:5" }),
      /^MODEL: Must be a name in models, workers-ai.* Until it is fixed, no run starts/,
    ],
    [
      "a model without its address",
      vars({ MODEL: "openai-compatible:x" }),
      /^MODEL: The model needs OPENAI_/,
    ],
    ["a model without its binding", project({ ai: undefined }), /^MODEL: The model needs the binding AI\./],
    [
      "a variable that Cloudflare does not take",
      vars({ MODELS_ALLOWED: `workers-ai:${"x".repeat(190)},`.repeat(30).slice(0, -1) }),
      /^MODELS_ALLOWED: It has \d+ bytes; Cloudflare takes 5120\.$/,
    ],
  ])("%s", (_, of, sentence) => {
    const found = stopsOf(of);
    expect(found).toEqual([expect.stringMatching(sentence)]);
    expect(preflight(of).every((each) => each.kind === "note" || (each.fix ?? "").length > 5)).toBe(true);
  });

  test.each<readonly [what: string, of: Project, sentence: RegExp]>([
    ["an address that is none", vars({ PUBLIC_URL: "http://x" }), /^PUBLIC_URL: Must be an https origin/],
    [
      "the rehearsal model",
      project({ vars: {} }),
      /^MODEL: It is the rehearsal model: fixed rules, not a language model/,
    ],
    [
      "a model of OpenRouter, whose key is a secret",
      vars({ MODEL: "rehearsal:", MODEL_FALLBACKS: "openrouter:anthropic/claude" }),
      /^OPENROUTER_API_KEY: It is a secret and cannot be seen from here\./,
    ],
    ["another name", project({ name: "mine" }), /^DB: The worker is called mine and its database cairn\./],
    ["environments", project({ env: { staging: {} } }), /^env: wrangler\.toml has environments/],
    [
      "a fault of this machine",
      project({}, { devVars: { LIMITS: "many" } }),
      /^\.dev\.vars, LIMITS: Must be a JSON object .* It is of this machine only/,
    ],
    [
      "what stays on this machine",
      project({}, { devVars: { MODEL: "rehearsal:", ALLOW_ANONYMOUS: "true" } }),
      /^\.dev\.vars: It is not deployed: MODEL stays on this machine\.$/,
    ],
  ])("%s is worth knowing, and stops nothing", (_, of, sentence) => {
    expect(stopsOf(of)).toEqual([]);
    expect(notesOf(of)).toContainEqual(expect.stringMatching(sentence));
  });

  test("and none shows a value", () => {
    const sentinel = "sentinel-0123456789abcdef";
    const of = project(
      { vars: { AUTH_TOKENS: sentinel, MODEL: sentinel, WEBHOOK_SECRETS: `{"x":"${sentinel}"` } },
      { devVars: { PREVIEW_SECRET: sentinel, AUTH_TOKENS: sentinel } },
    );
    expect(stopsOf(of).length).toBeGreaterThan(3);
    expect(JSON.stringify(preflight(of))).not.toContain(sentinel);
  });
});

describe("the bundle", () => {
  test.each([
    ["Total Upload: 1177 KiB / gzip: 386.59 KiB", "note", /387 KiB compressed, of 3 MiB on the free plan/],
    ["Total Upload: 9000 KiB / gzip: 4000.1 KiB", "note", /more than the 3 MiB of the free plan/],
    ["Total Upload: 90000 KiB / gzip: 12000 KiB", "stop", /Cloudflare takes 10 MiB/],
    ["✨", "stop", /did not print the size/],
  ])("%s", (out, kind, sentence) => {
    expect(bundleFinding(0, out, "")).toMatchObject({ kind, what: expect.stringMatching(sentence) });
  });

  test("has a sentence about the first pages of a site only where it has one", () => {
    const health = { status: "ok", service: "cairn", problems: [] } satisfies Health;
    const notes = (panels: string[], added: Record<string, unknown> = {}) =>
      loadFindings({ kind: "health", health: { ...health, panels } }, [], { ...SOUND, vars: added }).map(
        ({ about, what }) => `${about}: ${what}`,
      );
    expect(notes(["site"])).toEqual(["CMS_AUTOSEED: The first visit of a new site writes the sample pages."]);
    expect(notes(["site"], { CMS_AUTOSEED: "0" })).toEqual(["CMS_AUTOSEED: A new site begins empty."]);
    expect(notes([])).toEqual([]);
  });

  test("without the classes of its Durable Objects says what to add, in one sentence", () => {
    const said =
      "✘ [ERROR] Your Worker depends on the following Durable Objects, which are not exported in your entrypoint file: Session, Intake.\n\n  You should export these objects from your entrypoint, src/worker.ts.\n";
    const finding = {
      kind: "stop",
      about: "worker",
      what: "The worker file does not export Session, Intake.",
      fix: "Add to it: export class Session extends cairn.Session {} Intake is the class of a plugin: export it as the plugin's page in docs says, or remove its binding from wrangler.toml.",
    };
    expect(bundleFinding(1, "", said)).toEqual(finding);
    expect(loadFindings({ kind: "failed", output: said }, [], SOUND)).toEqual([finding]);
  });

  test("that throws as it loads is one sentence, without a place in the bundle", () => {
    const sentence = "createCairn: two plugins are named printer. Name each plugin once.";
    const line = `✘ [ERROR] service core:user:shop: Uncaught Error: ${sentence}`;
    const json = `{"level":"error","message":"service core:user:shop: Uncaught Error: ${sentence}\\n  at worker.js:662:21913 in eNe"}`;
    for (const said of [`${line}\n\n    at null.<anonymous> (worker.js:662:21913) in eNe\n`, json])
      expect(loadFindings({ kind: "failed", output: said }, [], SOUND)).toEqual([
        {
          kind: "stop",
          about: "worker",
          what: `The worker file throws as it loads. ${sentence}`,
          fix: "Fix it in src/worker.ts, or in a file that it imports.",
        },
      ]);
    const bug =
      "✘ [ERROR] service core:user:shop: Uncaught TypeError: x is not a function\n    at worker.js:1:2";
    expect(loadFindings({ kind: "failed", output: bug }, [], SOUND)).toMatchObject([
      { what: "The worker file throws as it loads. TypeError: x is not a function" },
    ]);
    // One of a request is in the log of the server, and stays there.
    const request = "✘ [ERROR] Uncaught Error: a request failed";
    expect(loadFindings({ kind: "failed", output: request }, [], SOUND)).toMatchObject([
      { what: expect.stringMatching(/^It does not start/) },
    ]);
  });

  test("that does not build is told in wrangler's words", () => {
    expect(bundleFinding(1, "", "✘ Could not resolve ./x.ts")).toMatchObject({
      kind: "stop",
      what: expect.stringContaining("Could not resolve ./x.ts"),
    });
  });
});

describe("variables that only the loaded worker knows", () => {
  const found = (added: Record<string, unknown>, secrets: string[] = []): string[] =>
    loadFindings(
      { kind: "health", health: { status: "ok", service: "cairn", problems: [], panels: [], secrets } },
      [],
      { ...SOUND, vars: { ...SOUND.vars, ...added } },
    ).map(({ kind, about, what }) => `${kind} ${about}: ${what}`);

  test("a misspelt one has the name that it may mean, those of plugins too", () => {
    expect(found({ MODELS_ALOWED: "x" })).toEqual([
      "note MODELS_ALOWED: Cairn reads no variable of this name. Is it MODELS_ALLOWED?",
    ]);
    expect(found({ PRINTER_KYE: "x" }, ["PRINTER_KEY"])).toContain(
      "note PRINTER_KYE: Cairn reads no variable of this name. Is it PRINTER_KEY?",
    );
  });

  test("another one is noted", () => {
    expect(found({ FAVOURITE: "x" })).toEqual(["note FAVOURITE: Cairn reads no variable of this name."]);
  });

  test("a secret of the project's own plugin is named, and that of a shipped one is not", () => {
    expect(found({}, ["PRINTER_KEY", "TELEGRAM_BOT_TOKEN"])).toEqual([
      "note PRINTER_KEY: It is a secret of a plugin and cannot be seen from here.",
    ]);
  });

  test("it must not stand in wrangler.toml", () => {
    expect(found({ PRINTER_KEY: "sentinel" }, ["PRINTER_KEY"])).toEqual([
      "stop PRINTER_KEY: It stands under [vars] in wrangler.toml, where everybody who sees the project reads it.",
    ]);
  });
});

describe("the reading of a project", () => {
  const folder = (): string => {
    const made = mkdtempSync(path.join(tmpdir(), "cairn-project-"));
    onTestFinished(() => rmSync(made, { recursive: true }));
    return made;
  };

  test("names what is wrong in a wrangler.toml that cannot be read", () => {
    const file = path.join(folder(), "wrangler.toml");
    writeFileSync(file, "name = \n");
    expect(readConfig(file)).toMatchObject({ kind: "problem" });
    writeFileSync(file, "name = 5\n");
    expect(readConfig(file)).toMatchObject({ kind: "problem", problem: expect.stringMatching(/^name: /) });
  });

  test("sees that the installed package lacks its migrations", () => {
    const made = folder();
    const installed = path.join(made, "node_modules/cairn");
    mkdirSync(path.join(installed, "migrations"), { recursive: true });
    writeFileSync(path.join(installed, "package.json"), "{}");
    const config = readFileSync(path.join(ROOT, "wrangler.toml"), "utf8");
    writeFileSync(
      path.join(made, "wrangler.toml"),
      config
        .replace('migrations_dir = "migrations"', 'migrations_dir = "node_modules/cairn/migrations"')
        .replace('base_dir = "build/modules"', 'base_dir = "node_modules/cairn/dist/lib/build/modules"'),
    );
    writeFileSync(path.join(installed, "migrations/0001_kernel.sql"), "SELECT 1;");
    expect(preflight(readProject(made)).filter(({ kind }) => kind === "stop")).toEqual([]);
    rmSync(path.join(installed, "migrations"), { recursive: true });
    expect(preflight(readProject(made)).filter(({ kind }) => kind === "stop")).toEqual([
      expect.objectContaining({
        about: "node_modules/cairn/migrations",
        fix: "The installed package is not complete: delete node_modules/cairn and run `npm install`.",
      }),
    ]);
  });

  test("keeps what was applied, and sees an edit of it", () => {
    const made = folder();
    const sound = readProject(ROOT);
    mkdirSync(path.join(made, "migrations"));
    for (const { name } of sound.migrations)
      writeFileSync(path.join(made, "migrations", name), readFileSync(path.join(ROOT, "migrations", name)));
    writeFileSync(path.join(made, "wrangler.toml"), readFileSync(path.join(ROOT, "wrangler.toml")));
    rememberApplied(made, sound.migrations);
    expect(stopsOf(readProject(made))).toEqual([]);
    const [first] = sound.migrations;
    writeFileSync(path.join(made, "migrations", first?.name ?? ""), "-- nothing\n");
    expect(stopsOf(readProject(made))).toEqual([
      expect.stringMatching(/^migrations\/0001_kernel\.sql: It was changed after it was applied\./),
    ]);
  });
});
