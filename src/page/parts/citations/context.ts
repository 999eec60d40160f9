import { createContext } from "react";
import type { Cited } from "./citations.ts";

interface Citing {
  readonly byId: ReadonlyMap<string, Cited>;
  readonly open: (cited: Cited) => void;
}

/** What the marks of the answer around stand for. Elsewhere a mark is text. */
export const CitingContext = createContext<Citing>({ byId: new Map(), open: () => {} });
