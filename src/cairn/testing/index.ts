/** The imports of a project's tests, on Node: one call of a tool, or a whole session. */
export { tryTool, type Tried } from "../tools/define.ts";
export type { Line } from "./script.ts";
export { sessionOf, TestSession, type Say, type SessionParts, type SettledCall } from "./test-session.ts";
export { textModules, type TextModules } from "./text-modules.ts";
