/**
 * In the bundle of the page, in place of `capnweb` (vite.config.ts): `agents/react` imports it for a transport that the
 * page never asks for, and it would be 13 kB of the 180 that the first load may have.
 */
export class RpcTarget {
  readonly unused = true;
}

export function newWebSocketRpcSession(): never {
  throw new Error("this page does not use RPC");
}
