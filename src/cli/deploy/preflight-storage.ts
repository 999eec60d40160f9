import { ownValue } from "../../cairn/core/log/json.ts";
import { note, stop, type Finding } from "./findings.ts";
import type { Migration, Project, WranglerConfig } from "../start/project.ts";

/** Where a deployment keeps things: what was released must stay as it was, because databases hold it. */

const ZERO_ID = "00000000-0000-0000-0000-000000000000";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** In a project that uses the package. */
const PACKAGE_MIGRATIONS = "node_modules/cairn/migrations";

/** The bindings that every deployment needs, and what they are bound to. */
export function* bindingFindings(
  config: WranglerConfig,
  { usesPackage, migrations }: Pick<Project, "usesPackage" | "migrations">,
): Generator<Finding> {
  const database = config.d1_databases?.find((each) => each.binding === "DB");
  if (database === undefined)
    yield stop(
      "DB",
      "The binding DB is missing in wrangler.toml: the index of sessions is stored there.",
      'Take the block [[d1_databases]] with binding = "DB" from git again.',
    );
  else {
    const { database_id: id, database_name: name, migrations_dir: folder } = database;
    if (id !== undefined && (id === ZERO_ID || !UUID.test(id)))
      yield stop(
        "DB",
        "database_id is not the id of a database.",
        "Remove the line: the database is found by its name. Or set the id that `npx wrangler d1 list` shows.",
      );
    if (name === undefined)
      yield stop("DB", "The database has no name.", 'Set database_name, such as "cairn".');
    const own = usesPackage ? PACKAGE_MIGRATIONS : "migrations";
    if ((folder ?? "migrations") !== own)
      yield stop(
        "DB",
        `migrations_dir is ${JSON.stringify(folder ?? "migrations")}, so the tables would not be made.`,
        `Set migrations_dir = ${JSON.stringify(own)}.`,
      );
    else if (migrations.length === 0)
      yield stop(
        own,
        "The folder is missing or has no migration, so the tables would not be made.",
        usesPackage
          ? "The installed package is not complete: delete node_modules/cairn and run `npm install`."
          : "Take it from git again.",
      );
    if (name === "cairn" && config.name !== undefined && config.name !== "cairn")
      yield note(
        "DB",
        `The worker is called ${config.name} and its database cairn. Two Cairns on one account must not share a database.`,
        "If there is another one, give this one a database_name and a bucket_name of its own.",
      );
  }
  const bucket = config.r2_buckets?.find((each) => each.binding === "MEDIA");
  if (bucket !== undefined && bucket.bucket_name === undefined)
    yield stop("MEDIA", "The bucket has no name.", 'Set bucket_name, such as "cairn-media".');
}

/** Released and must stay: existing sessions are stored under this migration. */
const FIRST_OBJECT_MIGRATION = { tag: "v1", class: "Session" };

/** The class of the sessions, and the [[migrations]] that made it. */
export function* objectFindings(config: WranglerConfig): Generator<Finding> {
  const session = config.durable_objects?.bindings?.find((each) => each.name === "SESSION");
  if (session === undefined || session.class_name !== "Session")
    yield stop(
      "SESSION",
      "The binding SESSION does not name the class Session: there would be no sessions.",
      'Set name = "SESSION" and class_name = "Session" under [[durable_objects.bindings]].',
    );
  const [first, ...later] = config.migrations ?? [];
  const sound =
    first !== undefined &&
    first.tag === FIRST_OBJECT_MIGRATION.tag &&
    first.new_sqlite_classes?.length === 1 &&
    first.new_sqlite_classes[0] === FIRST_OBJECT_MIGRATION.class &&
    first.new_classes === undefined;
  if (!sound)
    yield stop(
      "migrations",
      "The first [[migrations]] of wrangler.toml is not the one that was released. Cloudflare runs each tag once, so a changed one makes no object, or is refused.",
      'Put back tag = "v1" with new_sqlite_classes = ["Session"]; a change of your own is a further block with a tag of its own.',
    );
  const tags = (config.migrations ?? []).map((each) => each.tag);
  if (new Set(tags).size < tags.length)
    yield stop("migrations", "Two [[migrations]] have the same tag.", "Give each a tag of its own.");
  for (const each of later) {
    if (each.deleted_classes?.includes(FIRST_OBJECT_MIGRATION.class) === true)
      yield stop(
        "migrations",
        `${each.tag} deletes the class Session, with every session in it.`,
        "Remove that block. To start over, deploy under another name.",
      );
  }
}

/** Files of the database: what was applied stays as it was, what is new comes after it. */
export function* migrationFindings(
  migrations: readonly Migration[],
  applied: Readonly<Record<string, string>>,
): Generator<Finding> {
  const found = new Map(migrations.map((each) => [each.name, each.digest]));
  for (const [name, digest] of Object.entries(applied)) {
    const now = found.get(name);
    if (now === undefined)
      yield stop(
        `migrations/${name}`,
        "It was applied to a deployed database and is gone.",
        "Take it from git again: a new database needs it.",
      );
    else if (now !== digest)
      yield stop(
        `migrations/${name}`,
        "It was changed after it was applied. A database runs each file once, so the change would reach new databases only.",
        "Put it back as it was (git), and write the change as a further file.",
      );
  }
  const last = Object.keys(applied).toSorted().at(-1) ?? "";
  for (const { name } of migrations) {
    if (ownValue(applied, name) === undefined && name < last)
      yield stop(
        `migrations/${name}`,
        `It is new and stands before ${last}, which was applied already: databases would be made in different orders.`,
        `Give it a number after ${last.slice(0, 4)}.`,
      );
  }
}
