/** The mailbox of the agent. */
export interface Mailbox {
  /** where mails to the agent arrive, and from where it writes */
  readonly address: string;
  /** the receiving server, as its `Authentication-Results` name it; null if not configured: no sender is trusted */
  readonly authServer: string | null;
}

export const isMailbox = (address: string): boolean =>
  /^[^\s@<>(),;:"]{1,64}@[a-z0-9.-]{1,190}$/i.test(address);

/** True if an address leads to the mailbox, such as `cairn+news@example.com` to `cairn@example.com`. */
export const isOf = ({ address }: Mailbox, one: string): boolean => bare(one) === bare(address);

const bare = (address: string): string =>
  address
    .trim()
    .toLowerCase()
    .replace(/\+[^@]*@/, "@");
