export * from "../on-demand/sockets.ts";
