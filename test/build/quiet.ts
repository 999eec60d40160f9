/**
 * Expected output of workerd and the tools: faults that the tests provoke, and messages that nobody here can change.
 */
const EXPECTED = [
  // Between two files of one isolate, everything in it is aborted and deleted.
  "Application called abortAllDurableObjects()",
  "Application called deleteAllDurableObjects()",
  // The crash tests kill an object there, put others away, and leave their sockets behind.
  "between commit and publish",
  "SQLite alarm handler canceled with requestScheduledAlarm",
  "other end of WebSocketPipe was destroyed",
  // A deployment's binding to Workers AI is not reached in tests; one test shows that this is said.
  "Binding AI needs to be run remotely",
  "AI bindings always access remote resources",
  // Lines of JSON are text, whatever their type says.
  "Called .text() on an HTTP body which does not appear to be text",
  // Facts of packages.
  "@cloudflare/vitest-pool-workers has been renamed",
];

/** Keeps these messages out of the output. Each is written whole, with its stack; whatever else there is stays. */
export function muteExpected(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]) =>
      typeof args[0] === "string" && EXPECTED.some((message) => String(args[0]).includes(message))
        ? true
        : write(...args);
  }
}
