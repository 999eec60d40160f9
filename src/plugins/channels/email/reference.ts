import { startOf } from "../../../cairn/core/text/cut.ts";
import * as z from "zod";

/** The data to answer a mail in its thread; as text, it is the `id` of a received message. */
export interface MailReference {
  readonly id: string;
  /** of the mails before it, the first first */
  readonly references: readonly string[];
  readonly subject: string;
}

/** of a header that Cloudflare lets pass, in bytes */
const HEADER_BYTES_MAX = 2_048;
const SUBJECT_CHARS_MAX = 300;

const reference = z.object({ id: z.string(), references: z.array(z.string()), subject: z.string() });

export const writeReference = ({ id, references, subject }: MailReference): string =>
  JSON.stringify({
    id,
    references: fitted(references),
    subject: startOf(subject.replace(/[\s\p{Cc}]+/gu, " ").trim(), SUBJECT_CHARS_MAX),
  });

/** Also of a receipt, which is the bare id of a mail that we sent; null for what is neither. */
export function readReference(text: string): MailReference | null {
  if (/^<[^<>\s]+>$/.test(text)) return { id: text, references: [], subject: "" };
  try {
    const parsed = reference.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** `In-Reply-To` and `References` of an answer (RFC 5322 3.6.4); none to a mail that had no id. */
export function threadHeaders({ id, references }: MailReference): Readonly<Record<string, string>> {
  if (!id.startsWith("<")) return {};
  const all = fitted([...references.filter((each) => each !== id), id]);
  return { "In-Reply-To": id, References: all.join(" ") };
}

/** The first, by which the thread is known, and as many of the last as fit. */
function fitted(references: readonly string[]): readonly string[] {
  const [first, ...rest] = references;
  if (first === undefined) return [];
  let charsLeft = HEADER_BYTES_MAX - first.length;
  const last: string[] = [];
  for (const each of rest.toReversed()) {
    charsLeft -= each.length + 1;
    if (charsLeft < 0) break;
    last.unshift(each);
  }
  return [first, ...last];
}
