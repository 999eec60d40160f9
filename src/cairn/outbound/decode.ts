/** Decodes bytes; as UTF-8 if the charset is missing or unknown. */
export function decode(bytes: Uint8Array, charset: string | null): string {
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
