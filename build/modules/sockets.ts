/** Connections of WebSockets, loaded at the first one of an isolate (pdf.ts says why it lies here). */
export const loadSockets = () => import("./sockets.mjs");
