import { MANIFEST_NAME, SEAL_NAME } from "../../plugins/cms/protocol/member-names.ts";
import { BLOCK_BYTES, END_OF_ARCHIVE, paddingOf, readHeader } from "../../plugins/cms/protocol/tar.ts";
import { ApiError } from "../api-error.ts";
import { openAnswer } from "../api.ts";

/**
 * Downloads the site as one file, in parts: a response holds as much as one request may read, and the next one
 * continues after it. So a lost connection costs nothing, and nobody gets a truncated file.
 */

/** consecutive responses without new data */
const EMPTY_MAX = 3;
/** times to begin anew, because the site was written to meanwhile */
const BEGINNINGS_MAX = 3;

const DAMAGED = "What came is not the whole site. Try again.";
/** Over plain HTTP a browser cannot hash, so it cannot name the position to continue from. */
const TOO_LARGE_HERE = "This site is too large for one response, and a browser resumes over HTTPS only.";

export interface Download {
  /** id of another environment than the deployment's own */
  readonly environment: string | null;
  readonly signal: AbortSignal;
  /** gets the number of received bytes */
  readonly onProgress: (bytes: number) => void;
}

export interface SiteFile {
  readonly name: string;
  readonly blob: Blob;
}

export async function downloadSite({ environment, signal, onProgress }: Download): Promise<SiteFile> {
  let file = new Gathered();
  for (let empty = 0, beginnings = 1; ;) {
    const before = file.members;
    try {
      const response = await openAnswer(`/api/cms/export?${queryOf(file, environment)}`, { signal });
      await file.take(response, onProgress);
    } catch (error) {
      signal.throwIfAborted();
      // A line that breaks off leaves what has come whole.
      if (!(error instanceof ApiError) && !(error instanceof TypeError)) throw error;
      if (error instanceof ApiError && error.status !== 0) {
        if (error.code !== "site_changed" || beginnings === BEGINNINGS_MAX) throw error;
        beginnings += 1;
        file = new Gathered();
        continue;
      }
    }
    if (file.isWhole) return { name: file.name, blob: file.blob() };
    empty = file.members > before ? 0 : empty + 1;
    if (empty === EMPTY_MAX) throw new Error(DAMAGED);
    if (file.members > 0 && file.digest === null) throw new Error(TOO_LARGE_HERE);
  }
}

function queryOf({ last, members, bytes, digest, state }: Gathered, environment: string | null): string {
  const query = new URLSearchParams(environment === null ? {} : { environment });
  if (last === null || digest === null) return query.toString();
  const position = { after: last, members: String(members), bytes: String(bytes), digest, state };
  for (const [name, value] of Object.entries(position)) query.set(name, value);
  return query.toString();
}

/** The received part of a file, in whole members, with the seal so far. */
class Gathered {
  name = "site.tar";
  state = "";
  last: string | null = null;
  members = 0;
  bytes = 0;
  /** as the seal makes it; null where the browser hashes nothing */
  digest: string | null = isHashing() ? "0".repeat(64) : null;
  isWhole = false;
  #size = 0;
  readonly #parts: Blob[] = [];

  blob(): Blob {
    return new Blob(this.#parts, { type: "application/x-tar" });
  }

  /** Reads an answer, and keeps what of it is whole. */
  async take(response: Response, onProgress: (bytes: number) => void): Promise<void> {
    this.name =
      /filename="([\w.-]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? this.name;
    const reader = response.body?.getReader();
    let pieces: Uint8Array<ArrayBuffer>[] = [];
    let held = 0;
    let wanted = BLOCK_BYTES;
    for (;;) {
      const next = await reader?.read();
      if (next === undefined || next.done) return;
      pieces.push(next.value);
      held += next.value.length;
      onProgress(this.#size + held);
      while (held >= wanted) {
        const all = new Uint8Array(await new Blob(pieces).arrayBuffer());
        const header = readHeader(all.subarray(0, BLOCK_BYTES));
        if (header === null) throw new Error(DAMAGED);
        if (header === "end") return this.#end();
        wanted = BLOCK_BYTES + header.size + paddingOf(header.size);
        pieces = [all];
        if (all.length < wanted) break;
        await this.#add(header.name, header.size, all.subarray(0, wanted));
        pieces = [all.subarray(wanted)];
        held = all.length - wanted;
        wanted = BLOCK_BYTES;
      }
    }
  }

  async #add(name: string, size: number, block: Uint8Array<ArrayBuffer>): Promise<void> {
    const data = block.subarray(BLOCK_BYTES, BLOCK_BYTES + size);
    if (name === SEAL_NAME) {
      const { members, bytes, digest } = jsonIn(data);
      const isSame = members === this.members && bytes === this.bytes;
      if (!isSame || (this.digest !== null && digest !== this.digest)) throw new Error(DAMAGED);
    } else {
      if (name === MANIFEST_NAME) this.state = String(jsonIn(data)["state"]);
      this.members += 1;
      this.bytes += size;
      if (this.digest !== null)
        this.digest = await hashOf(
          new TextEncoder().encode([this.digest, name, size, await hashOf(data)].join("\n")),
        );
    }
    this.last = name;
    this.#parts.push(new Blob([block]));
    this.#size += block.length;
  }

  /** Behind the seal there is nothing but the end; before it, the site was written to meanwhile. */
  #end(): void {
    this.isWhole = this.last === SEAL_NAME;
    this.#parts.push(new Blob([END_OF_ARCHIVE]));
  }
}

const isHashing = (): boolean => globalThis.isSecureContext;

async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const jsonIn = (bytes: Uint8Array): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
