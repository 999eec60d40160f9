/** The heap of a running worker, through the inspector that `wrangler dev` opens. */
export interface Inspector {
  /** bytes in use, garbage included: workerd does not answer when it is asked to collect */
  heapBytes(): Promise<number>;
  close(): void;
}

interface Target {
  readonly webSocketDebuggerUrl: string;
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly usedSize?: number };
  readonly error?: { readonly message: string };
}

/** Rejects when nothing answers there. */
export async function openInspector(port: number): Promise<Inspector> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as readonly Target[];
  const target = targets[0];
  if (target === undefined) throw new Error("the inspector has nothing to inspect");
  // The inspector refuses a client that sends a User-Agent without an Origin.
  const options = { headers: { Origin: "http://localhost" } };
  const socket = new WebSocket(target.webSocketDebuggerUrl, options as unknown as string[]);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("the inspector refuses the connection")));
  });
  const waiting = new Map<number, (reply: Reply) => void>();
  socket.addEventListener("message", ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });
  let sent = 0;
  const send = async (method: string): Promise<NonNullable<Reply["result"]>> => {
    const id = ++sent;
    const reply = await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params: {} }));
    });
    waiting.delete(id);
    if (reply.result === undefined) throw new Error(`${method}: ${reply.error?.message ?? "no result"}`);
    return reply.result;
  };
  return {
    async heapBytes() {
      const { usedSize } = await send("Runtime.getHeapUsage");
      if (usedSize === undefined) throw new Error("the inspector does not say how much is used");
      return usedSize;
    },
    close: () => socket.close(),
  };
}
