import { createContext, type ComponentType } from "react";

/**
 * Component that draws the run which an item has started, in place. A context, because it draws a timeline of such
 * items itself. Null: nothing can be opened there.
 */
export const ChildContext = createContext<ComponentType<{ readonly session: string }> | null>(null);
