import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

/** Threads that all run one module: the main one gives out tasks, the others answer them. Both are JSON. */
export interface Threads<Task, Answer> {
  /** On the main thread: works the tasks in their order, in as many threads as there are cores. */
  work(tasks: readonly Task[], onAnswer: (task: Task, answer: Answer) => void): Promise<void>;
  /** In the others: how a task is answered. Does nothing on the main thread. */
  serve(answer: (task: Task) => Promise<Answer>): void;
}

/** nearly everything that a schedule makes is dead when it is over: room for it, so that little of it is looked at */
const YOUNG_MB = 64;

export function createThreads<Task, Answer>(file: string): Threads<Task, Answer> {
  return {
    async work(tasks, onAnswer) {
      const left = [...tasks];
      const one = (): Promise<void> =>
        new Promise((resolve, reject) => {
          const worker = new Worker(file, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
          let task = left.shift();
          const next = (): void => {
            if (task === undefined) void worker.terminate();
            else worker.postMessage(task, []);
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
      await Promise.all(Array.from({ length: Math.min(tasks.length, availableParallelism()) }, one));
    },
    serve(answer) {
      const port = parentPort;
      if (isMainThread || port === null) return;
      // A dying isolate complains on its way out, thousands of times.
      console.error = () => {};
      port.on("message", (task: Task) => void answer(task).then((value) => port.postMessage(value, [])));
    },
  };
}
