import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/**
 * Works a list of tasks, one after the other in each of as many threads as there are cores. `file` is a module that calls
 * `serveTasks`; a task and its answer are JSON.
 */
export async function inThreads<Task, Answer>(
  file: string,
  tasks: readonly Task[],
  onAnswer: (task: Task, answer: Answer) => void,
): Promise<void> {
  const left = [...tasks];
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(file, { workerData: { serves: file } });
      let task = left.shift();
      const next = (): void => {
        if (task === undefined) void worker.terminate();
        else worker.postMessage(task);
      };
      worker.on("message", (answer: Answer) => {
        if (task !== undefined) onAnswer(task, answer);
        task = left.shift();
        next();
      });
      worker.on("error", reject);
      worker.on("exit", () => resolve());
      next();
    });
  await Promise.all(Array.from({ length: Math.min(tasks.length, availableParallelism()) }, work));
}

/** In a thread: answers each task as it comes. Does nothing on the main thread. */
export function serveTasks<Task, Answer>(answer: (task: Task) => Promise<Answer>): void {
  const port = parentPort;
  if (isMainThread || port === null || workerData === null) return;
  // A dying isolate complains on its way out, thousands of times.
  console.error = () => {};
  port.on("message", (task: Task) => {
    void answer(task).then((value) => port.postMessage(value));
  });
}
