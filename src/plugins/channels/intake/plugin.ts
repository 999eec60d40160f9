import { DurableObject } from "cloudflare:workers";
import type { Bindings } from "../../../cairn/bindings.ts";
import type { HeldPart, HeldMessage } from "../held.ts";
import { Intake as IntakeParts } from "../http/intake.ts";
import type { ChannelsPlugin } from "../plugin.ts";

/** Methods of `Intake` that the worker calls. */
export interface IntakeObject extends DurableObject<Bindings> {
  take(part: HeldPart): void;
  alarm(): Promise<void>;
}

/**
 * The class of the Durable Object that collects the parts of one message of a chat, such as the pictures of an album. A project
 * without it takes each part as a message.
 *
 *     export class Intake extends createIntake(people) {}
 */
export const createIntake = ({
  receive,
  report,
}: Pick<ChannelsPlugin, "receive" | "report">): new (
  context: DurableObjectState,
  env: Bindings,
) => IntakeObject =>
  class extends DurableObject<Bindings> implements IntakeObject {
    readonly #parts = new IntakeParts(this.ctx.storage, {
      now: Date.now,
      receive: (words) => this.receive(words),
      report: (error) => report(error, this.env),
    });

    protected receive(words: HeldMessage): Promise<boolean> {
      return receive(words, this.env);
    }

    take(part: HeldPart): void {
      this.#parts.take(part);
    }

    override async alarm(): Promise<void> {
      await this.#parts.alarm();
    }
  };
