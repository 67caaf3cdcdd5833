// The position of this window in a terminal's output. The program numbers the
// bytes; a window that reconnects names the first missing one.

// Bytes that are shown between two reports to the program, which sends 512 KiB
// ahead.
const kReportBytes = 64 * 1024;

export class BytePosition {
  // The number of the next byte to come; none before the first connection.
  next: number | undefined;
  private liveFrom = 0;
  private shown = 0;
  private reported = 0;

  // What the program begins with. True: what was shown is not what comes
  // before, so the window must start from nothing.
  begin(at: number, until: number): boolean {
    const gap = this.next !== undefined && this.next !== at;
    this.next = this.shown = this.reported = at;
    this.liveFrom = until;
    return gap;
  }

  // The number after these bytes, which is what to give to show().
  receive(bytes: number): number {
    this.next = (this.next ?? 0) + bytes;
    return this.next;
  }

  // Everything below `until` is on the screen. A number: send it to the program.
  show(until: number): number | undefined {
    // The screen may still work on what an earlier connection brought.
    this.shown = Math.min(Math.max(this.shown, until), this.next ?? 0);
    if (this.shown - this.reported < kReportBytes) return undefined;
    this.reported = this.shown;
    return this.shown;
  }

  // Old output is being shown again: its queries were answered then.
  get replaying(): boolean {
    return this.shown < this.liveFrom;
  }
}

// What a terminal answers by itself when a program asks it something: CSI … c,
// n, R, t, y and strings of the kinds OSC and DCS (xterm's ctlseqs).
export function isReply(data: string): boolean {
  return /^\x1b(\[[?>=]?[\d;]*\$?[cnRty]|[\]P])/.test(data);
}
