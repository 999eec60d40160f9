import type { UIMessage } from "ai";

/** Interface between the test and the tab. */
export interface Tab {
  readonly messages: readonly UIMessage[];
  readonly status: string;
  readonly error: string | null;
  /** `mode` as the door has it: what becomes of the words while a run is live */
  send(text: string, mode?: string): Promise<void>;
  regenerate(): Promise<void>;
  decide(approval: string, approved: boolean): void;
  resume(): Promise<void>;
}
