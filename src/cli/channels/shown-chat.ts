import { type Piece } from "../chat/screen/ansi.ts";

/** A chat of the demo as lines: what the bot writes, and its buttons by numbers, which stay theirs. */

export interface ShownButton {
  readonly text: string;
  /** a link in place of something to press */
  readonly url?: string;
}

/** A message of the bot as it looks now. */
export interface BotMessage {
  readonly message_id: number;
  readonly text: string;
  readonly buttons: readonly ShownButton[];
}

/** A parsed line of input. */
export type Typed<Message> =
  | { readonly kind: "quit" }
  | { readonly kind: "nothing" }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "press"; readonly message: Message; readonly label: string }
  /** it had a button once */
  | { readonly kind: "gone"; readonly number: number };

interface Numbered {
  readonly id: number;
  readonly label: string;
}

export class ShownChat<Message extends BotMessage> {
  readonly #seen = new Map<number, Message>();
  readonly #looks = new Map<number, string>();
  readonly #buttons: Numbered[] = [];

  /** Returns the messages that are new or changed since the last call; nothing is shown twice. */
  update(messages: readonly Message[]): Piece[] {
    return messages.flatMap((message) => {
      const { message_id: id, text, buttons } = message;
      const look = JSON.stringify([text, buttons.map((one) => one.text)]);
      const before = this.#looks.get(id);
      this.#seen.set(id, message);
      if (before === look) return [];
      this.#looks.set(id, look);
      const who = before === undefined ? "Cairn: " : "Cairn (changed): ";
      return [
        { tone: "strong", text: who } as const,
        { tone: "plain", text: `${text}\n` } as const,
        ...buttons.map((button) => this.#buttonLine(id, button)),
      ];
    });
  }

  #buttonLine(id: number, { text, url }: ShownButton): Piece {
    if (url !== undefined) return { tone: "ask", text: `  ${text}: ${url}\n` };
    const known = this.#buttons.findIndex((one) => one.id === id && one.label === text);
    const number = known < 0 ? this.#buttons.push({ id, label: text }) : known + 1;
    return { tone: "ask", text: `  [${number}] ${text}\n` };
  }

  /** A number is a button only where there is, or was, one with it: else it is words. */
  parse(line: string): Typed<Message> {
    const text = line.trim();
    if (text === "") return { kind: "nothing" };
    if (text === "/quit") return { kind: "quit" };
    const button = /^\d{1,4}$/.test(text) ? this.#buttons[Number(text) - 1] : undefined;
    if (button === undefined) return { kind: "say", text };
    const message = this.#seen.get(button.id);
    return message?.buttons.some((one) => one.text === button.label) === true
      ? { kind: "press", message, label: button.label }
      : { kind: "gone", number: Number(text) };
  }
}
