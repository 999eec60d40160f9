interface MessagePorts {
  take(message: string): void;
  /** whether the next line has been begun */
  isBegun(): boolean;
}

/**
 * Groups lines of input into messages. On a screen a paste is one message, with the text typed at its end, and so are
 * lines that come in one piece from a terminal that does not mark a paste. In a pipe a line is a message, and the
 * lines of a script for the rehearsal model, up to its `/say` or its last line, are one.
 */
export class MessageLines {
  private readonly isScreen: boolean;
  private readonly ports: MessagePorts;
  private lines: string[] = [];
  private pasting = false;
  private due: NodeJS.Immediate | null = null;

  constructor(isScreen: boolean, ports: MessagePorts) {
    this.isScreen = isScreen;
    this.ports = ports;
  }

  /** A paste begins or ends. Its lines wait for the Enter after it. */
  paste(begins: boolean): void {
    this.pasting = begins;
  }

  add(line: string): void {
    if (!this.isScreen) return this.addOfScript(line);
    this.lines.push(line);
    if (this.pasting) return;
    if (this.due !== null) clearImmediate(this.due);
    this.due = setImmediate(() => {
      if (!this.ports.isBegun()) this.end();
    });
  }

  /** Hands on what is held. */
  end(): void {
    if (this.due !== null) clearImmediate(this.due);
    this.due = null;
    const { lines } = this;
    this.lines = [];
    if (lines.length > 0) this.ports.take(lines.join("\n"));
  }

  private addOfScript(line: string): void {
    const continues = CONTINUES.test(line);
    if (!continues && !(ENDS.test(line) && this.lines.length > 0)) this.end();
    this.lines.push(line);
    if (!continues) this.end();
  }
}

const CONTINUES = /^\s*\/(call|then|wait)(\s|$)/;
const ENDS = /^\s*\/say(\s|$)/;
