import { ok, type Result } from "../core/log/result.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { attribute, XmlPart } from "./office-parts.ts";
import { unpack, type PartReader } from "./unpack.ts";

/**
 * An office file is a package of parts that refer to each other (ECMA-376, part 2). The names of the parts are free: the main
 * part is the one that the package relates to as its `officeDocument`, and the main part relates to the others.
 */

/** relationships of one part that are noted */
const RELATIONS_MAX = 5_000;
const PART_NAME_CHARS_MAX = 1_000;

export interface Relation {
  readonly id: string;
  /** the last word of its address: `styles` of the transitional and of the strict namespace alike */
  readonly type: string;
  /** name of the part, as `partName` makes it */
  readonly part: string;
}

export interface OfficePackage {
  readonly kind: "docx" | "xlsx";
  /** name of the main part */
  readonly main: string;
  readonly relations: readonly Relation[];
}

/** The form in which names are compared: without case, with slashes, and without one at the beginning (OPC 6.2.2). */
export const partName = (name: string): string =>
  name
    .replaceAll("\\", "/")
    .replace(/^\/{1,9}/, "")
    .toLowerCase();

/** The conventional main parts, for packages whose relationships are missing. */
const USUAL = ["word/document.xml", "xl/workbook.xml"] as const;
const PACKAGE_RELATIONS = "_rels/.rels";

/** The element that the main part begins with, and the kind of file that it makes. */
const ROOTS: ReadonlyMap<string, OfficePackage["kind"]> = new Map([
  ["document", "docx"],
  ["workbook", "xlsx"],
]);

/** Null for an archive that is no office file. Faults as `unpack`. */
export function openPackage(bytes: Uint8Array): Result<OfficePackage | null, FileFault> {
  const top: Relation[] = [];
  const part = relationsPart("", top);
  const names = unpack(bytes, byName(new Map([[PACKAGE_RELATIONS, part]])));
  if (!names.ok) return names;
  part.end();
  const there = new Set([...names.value].map(partName));
  const candidates = [
    ...top.filter(({ type }) => type === "officeDocument").map((relation) => relation.part),
    ...USUAL,
  ];
  const main = candidates.find((name) => there.has(name));
  if (main === undefined) return ok(null);
  const relations: Relation[] = [];
  let root: string | null = null;
  const parts = new Map([
    [relationsOf(main), relationsPart(main, relations)],
    [main, new XmlPart({ open: (name) => (root ??= name), isDone: () => root !== null })],
  ]);
  const opened = unpack(bytes, byName(parts));
  if (!opened.ok) return opened;
  for (const one of parts.values()) one.end();
  // The usual names identify a part with an unknown beginning.
  const usual = main === USUAL[0] ? "docx" : main === USUAL[1] ? "xlsx" : undefined;
  const kind = ROOTS.get(root ?? "") ?? usual;
  return ok(kind === undefined ? null : { kind, main, relations });
}

/** Gives each part to its reader: the first part of a name, as `unpack` does. */
export const byName =
  (readers: ReadonlyMap<string, PartReader>) =>
  (name: string): PartReader | null =>
    readers.get(partName(name)) ?? null;

/** Checks that the parts that would be read of it can be unpacked. Faults as `unpack`, and `unreadable`. */
export function checkOffice(bytes: Uint8Array): Result<null, FileFault> {
  const opened = openPackage(bytes);
  if (!opened.ok) return opened;
  if (opened.value === null)
    return fault(
      "invalid_args",
      "unreadable",
      "The file is no office file.",
      "Save it again, and send that.",
    );
  const { main, relations } = opened.value;
  const count: PartReader = { write: () => true };
  const wanted = new Set([main, ...relations.filter(({ type }) => READ.has(type)).map(({ part }) => part)]);
  const parts = unpack(bytes, (name) => (wanted.has(partName(name)) ? count : null));
  return parts.ok ? ok(null) : parts;
}

/** Types of the parts that the readers read. */
const READ = new Set("styles footnotes endnotes comments header footer worksheet sharedStrings".split(" "));

/** `word/document.xml` → `word/_rels/document.xml.rels` */
function relationsOf(part: string): string {
  const cut = part.lastIndexOf("/") + 1;
  return `${part.slice(0, cut)}_rels/${part.slice(cut)}.rels`;
}

function relationsPart(source: string, relations: Relation[]): XmlPart {
  return new XmlPart({
    open: (name, attributes) => {
      if (name !== "Relationship" || attribute(attributes, "TargetMode")?.toLowerCase() === "external")
        return;
      const target = attribute(attributes, "Target") ?? "";
      const type = attribute(attributes, "Type") ?? "";
      if (target === "" || target.length > PART_NAME_CHARS_MAX || relations.length >= RELATIONS_MAX) return;
      relations.push({
        id: attribute(attributes, "Id") ?? "",
        type: type.slice(type.lastIndexOf("/") + 1),
        part: resolved(source, target),
      });
    },
  });
}

/** A target as it is seen from its source: absolute, or relative to the folder of the source. */
function resolved(source: string, target: string): string {
  const path = decoded(target).replaceAll("\\", "/");
  const folders = path.startsWith("/") ? [] : source.split("/").slice(0, -1);
  for (const step of path.split("/")) {
    if (step === "..") folders.pop();
    else if (step !== "" && step !== ".") folders.push(step);
  }
  return partName(folders.join("/"));
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}
