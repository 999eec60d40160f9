/** The session as the tools of the web ask it: what its runs have read, and which addresses they were shown. */
export interface WebMemory {
  /** the live run has read content from outside */
  isTainted(): boolean;
  /** a person or a result has shown this address to it */
  knowsUrl(url: string): boolean;
}

/** Outside of a session nothing runs: the strict answer. */
export const NO_MEMORY: WebMemory = { isTainted: () => true, knowsUrl: () => false };
