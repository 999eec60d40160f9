export * from "../beside/sockets.ts";
