import { createContext } from "react";
import type { Cited } from "./citations.ts";

interface Citing {
  readonly byId: ReadonlyMap<string, Cited>;
  readonly open: (cited: Cited) => void;
}

/** The citations of the surrounding answer. Elsewhere a mark is plain text. */
export const CitingContext = createContext<Citing>({ byId: new Map(), open: () => {} });
