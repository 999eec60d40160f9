import { createJsonReader } from "./json.ts";
import { createNativeReader } from "./native.ts";
import type { ReplyForm, ReplyReader, ReplySink } from "./reader.ts";
import { createTagsReader } from "./tags.ts";

/** Reads one reply in the dialect in which its model was asked. Never throws, whatever comes. */
export function createReader(form: ReplyForm, sink: ReplySink): ReplyReader {
  if (form.dialect === "json") return createJsonReader(form, sink);
  return form.dialect === "tags" ? createTagsReader(form, sink) : createNativeReader(form, sink);
}
