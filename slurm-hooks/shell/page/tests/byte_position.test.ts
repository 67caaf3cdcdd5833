import { describe, expect, it } from "vitest";
import { BytePosition, isReply } from "../src/byte_position";

describe("the position in a terminal's output", () => {
  it("is unknown before the first connection", () => {
    expect(new BytePosition().next).toBeUndefined();
  });

  it("starts the screen anew when the program continues elsewhere", () => {
    const position = new BytePosition();
    expect(position.begin(100, 100)).toBe(false);
    position.receive(50);
    expect(position.begin(150, 150)).toBe(false);
    expect(position.begin(900, 950)).toBe(true);
    expect(position.next).toBe(900);
  });

  it("reports what is shown each 64 KiB, not each piece", () => {
    const position = new BytePosition();
    position.begin(1000, 1000);
    position.receive(100_000);
    expect(position.show(1000 + 65_535)).toBeUndefined();
    expect(position.show(1000 + 65_536)).toBe(66_536);
    expect(position.show(66_537)).toBeUndefined();
  });

  it("never reports more than it was given", () => {
    const position = new BytePosition();
    position.begin(5_000_000, 5_000_000);
    position.receive(1000);
    position.begin(0, 0);
    position.receive(70_000);
    expect(position.show(5_001_000)).toBe(70_000);
  });

  it("replays until what was there before is shown", () => {
    const position = new BytePosition();
    position.begin(0, 10);
    position.receive(20);
    expect(position.replaying).toBe(true);
    position.show(10);
    expect(position.replaying).toBe(false);
  });
});

describe("a terminal's replies", () => {
  it("are distinguished from what a user types", () => {
    const replies = ["\x1b[?1;2c", "\x1b[>0;276;0c", "\x1b[5;7R", "\x1b[0n"];
    for (const reply of [...replies, "\x1b[?2026;2$y", "\x1b]10;rgb:0/0/0\x07"]) {
      expect(isReply(reply)).toBe(true);
    }
    for (const typed of ["ls\r", "c", "\x1b", "\x1b[A", "\x1b[3~", "\x1bOP"]) {
      expect(isReply(typed)).toBe(false);
    }
  });
});
