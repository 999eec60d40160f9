import type { Answered } from "../../../src/cairn/session/background/delivery-retry.ts";
import type { Delivery } from "../../../src/cairn/session/background/outbox.ts";
import type { WebhookTarget } from "../../../src/cairn/config/webhook-config.ts";
import type { FakePlatform } from "./platform.ts";

/** A post that arrived, and how it was answered. */
export interface Told {
  readonly target: string;
  readonly id: string;
  readonly body: string;
  readonly status: number | null;
  /** whether the session had its outcome on disk already */
  readonly settled: boolean;
  /** seq of the last row on disk */
  readonly head: number;
}

const OK: Answered = { status: 200, retryAfterMs: null };

/** Stands outside the session, takes its webhooks, and remembers each over all lives of the isolate. */
export class Receiver {
  targets: readonly WebhookTarget[] = [];
  readonly told: Told[] = [];
  /** answers the posts of one notice in turn, then with 200 */
  answers: (type: string) => readonly Partial<Answered>[] = () => [];
  /** called while a post is on its way */
  onPost: ((type: string) => void | Promise<void>) | null = null;
  readonly #platform: FakePlatform;

  constructor(platform: FakePlatform) {
    this.#platform = platform;
  }

  /** The deployment names a target for these events; it is deployed anew. */
  listen(...events: readonly string[]): void {
    const secret = "whsec_Y2Fpcm4tZXhhbXBsZS1zZWNyZXQtMDAw";
    this.targets = [{ id: "ops", url: "https://ops.example/", secret, events }];
    this.#platform.restart();
  }

  async post(target: WebhookTarget, { id, body }: Pick<Delivery, "id" | "body">): Promise<Answered> {
    const platform = this.#platform;
    platform.cross("post: before");
    const { type } = JSON.parse(body) as { type: string };
    const before = this.told.filter((told) => told.id === id && told.target === target.id).length;
    const answer = { ...OK, ...this.answers(type)[before] };
    const settled = platform.outbox
      .page(100, null)
      .items.some((row) => row.id === id && row.state !== "pending");
    this.told.push({
      target: target.id,
      id,
      body,
      status: answer.status,
      settled,
      head: platform.state.head,
    });
    await this.onPost?.(type);
    platform.cross("post: after");
    return answer;
  }
}
