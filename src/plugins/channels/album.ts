import type { Received } from "./channel.ts";

type Message = Extract<Received, { kind: "message" }>;

/**
 * Parts of one album as the message that a person sent: all files in the order of the album, and the caption, whichever part
 * has it. `parts` is not empty. The result has the place and the name of the first part.
 */
export function joinParts(parts: readonly Message[], deliveryId: string): Message {
  const ordered = parts.toSorted((a, b) => (a.album?.position ?? 0) - (b.album?.position ?? 0));
  const [first] = ordered;
  if (first === undefined) throw new Error("an album without parts");
  const { album: _album, body: _body, ...whole } = first;
  const foreign = ordered.flatMap((part) => part.foreign ?? []).filter(isVisible);
  return {
    ...whole,
    deliveryId,
    text: ordered
      .map(({ text }) => text)
      .filter(isVisible)
      .join("\n\n"),
    foreign: foreign.length === 0 ? null : [...new Set(foreign)].join("\n\n"),
    files: ordered.flatMap(({ files }) => files),
    isForUs: ordered.some(({ isForUs }) => isForUs),
    isEdit: ordered.every(({ isEdit }) => isEdit),
    answers: ordered.find(({ answers }) => answers !== null)?.answers ?? null,
  };
}

const isVisible = (text: string): boolean => text.trim() !== "";
