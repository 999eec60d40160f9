import { createContext, type ComponentType } from "react";

/**
 * What draws the run that an item has started, in place. It draws a timeline of such items itself, so it comes to them by a
 * context. Null: nothing can be opened there.
 */
export const ChildContext = createContext<ComponentType<{ readonly session: string }> | null>(null);
