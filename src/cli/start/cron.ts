/**
 * Pulls the cron trigger of a local server, which `wrangler dev` leaves to whoever runs it: now, for what came due while
 * nothing ran, and every so many ms until the server has ended. One that does not answer is asked again next time.
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
