/**
 * Stands in for `capnweb` in the bundle. The sockets of `agents` reach for it when a client asks for that transport, which
 * the door refuses with 400 before a session is woken.
 */
export class RpcTarget {
  readonly refused = true;
}

export function newWebSocketRpcSession(): never {
  throw new Error("this transport is refused at the door");
}
