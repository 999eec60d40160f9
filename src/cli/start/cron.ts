/**
 * Fires the cron trigger of a local server, which `wrangler dev` does not: now, for work that came due while nothing
 * ran, and every `everyMs` until the server has ended. An unanswered request is repeated at the next tick.
 */
export function runCron(
  server: { readonly url: string; readonly ended: Promise<void> },
  everyMs: number,
): void {
  const pull = (): void => {
    fetch(`${server.url}/cdn-cgi/handler/scheduled`).then(
      (answer) => answer.body?.cancel(),
      () => null,
    );
  };
  pull();
  const timer = setInterval(pull, everyMs).unref();
  void server.ended.then(() => clearInterval(timer));
}
