declare global {
  /** Set once by the page; its build puts every `import()` into it, by `import-anew` in the configuration of vite. */
  var importPart: typeof importAnew;
}

/** Addresses of modules whose fetch failed → the address to ask for instead: a browser keeps the failure of the other one. */
const instead = new Map<string, string>();

/** Imports the module of a part; rejects when it cannot be fetched, and asks for another address from then on. */
export async function importAnew(
  address: string,
  load: (address: string) => Promise<unknown>,
): Promise<unknown> {
  const url = instead.get(address) ?? address;
  try {
    return await load(url);
  } catch (fault) {
    instead.set(address, `${address}?again=${Number(/\d+$/.exec(url)?.[0] ?? 0) + 1}`);
    throw fault;
  }
}
globalThis.importPart = importAnew;

/** Delays between attempts while there is no response. */
const AGAIN_AFTER_MS = [300, 1_000, 3_000, 6_000];
/** A file that a server in its senses does not give is not there. */
const ANSWERS_WITHOUT_IT_MAX = 3;

/** The version served at `/` now: this one, a later one, or no response. */
export type Standing = "same" | "later" | "silent";

/**
 * Fetches a part, again and again while the line is down. Rejects when the server answers but has it no more: its files are
 * those of a later version.
 */
export async function fetchUntilThere<Value>(
  load: () => Promise<Value>,
  standing: () => Promise<Standing>,
  wait: (ms: number) => Promise<unknown> = (ms) => new Promise((done) => setTimeout(done, ms)),
): Promise<Value> {
  for (let tries = 0, without = 0; ; tries++) {
    try {
      return await load();
    } catch (fault) {
      const now = await standing();
      if (now === "same") without++;
      if (now === "later" || without === ANSWERS_WITHOUT_IT_MAX) throw fault;
    }
    await wait(AGAIN_AFTER_MS[tries] ?? AGAIN_AFTER_MS.at(-1) ?? 0);
  }
}
