import { describe, expect, it } from "vitest";
import {
  formatAgo,
  formatCountdown,
  formatMinutes,
  formatRunTime,
  formatSeconds,
  parseMinutes,
  parseSeconds,
} from "../../../src/lib/format/duration";

describe("parsing a walltime", () => {
  it.each(["", "soon", "0", "0 h", "-1 h", "1:75", "1 h 2 h", "1e3", "∞"])(
    "is refused: %j",
    (text) => expect(parseMinutes(text)).toBeUndefined(),
  );

  it.each([
    ["45", 45],
    ["45 min", 45],
    ["2h", 120],
    ["2 hours", 120],
    ["1:30", 90],
    ["1h30", 90],
    ["1 h 30 min", 90],
    ["1.5 h", 90],
    ["1,5h", 90],
    ["2 d", 2880],
    [" 1 D  12 H ", 2160],
  ])("is understood: %j", (text, minutes) => {
    expect(parseMinutes(text)).toBe(minutes);
  });

  it("round-trips", () => {
    for (const minutes of [1, 59, 60, 90, 1440, 1501, 14_400]) {
      expect(parseMinutes(formatMinutes(minutes))).toBe(minutes);
    }
  });
});

describe("parsing a duration with seconds", () => {
  it.each(["", "s", "0 s", "soon 5 s", "5 s 3 min", "-5 s", "0"])(
    "is refused: %j",
    (text) => expect(parseSeconds(text)).toBeUndefined(),
  );

  it.each([
    ["30 s", 30],
    ["15s", 15],
    ["90 sec", 90],
    ["1 min 30 s", 90],
    ["2 h 5 s", 7205],
    ["10", 600],
    ["1:30", 5400],
  ])("is understood: %j", (text, seconds) => {
    expect(parseSeconds(text)).toBe(seconds);
  });

  it("round-trips", () => {
    for (const seconds of [1, 59, 60, 61, 3600, 3601, 90_061]) {
      expect(parseSeconds(formatSeconds(seconds))).toBe(seconds);
    }
  });
});

describe("formatting durations", () => {
  it("leaves out zeros", () => {
    expect(formatMinutes(0)).toBe("0 min");
    expect(formatMinutes(120)).toBe("2 h");
    expect(formatMinutes(1441)).toBe("1 d 1 min");
  });

  it("counts down to the second in the last day", () => {
    expect(formatCountdown(0)).toBe("0:00");
    expect(formatCountdown(-5000)).toBe("0:00");
    expect(formatCountdown(9000)).toBe("0:09");
    expect(formatCountdown(249_000)).toBe("4:09");
    expect(formatCountdown(3_849_000)).toBe("1:04:09");
    expect(formatCountdown(51 * 3_600_000 + 90_000)).toBe("2 d 3 h");
  });

  it("shows how long ago", () => {
    expect(formatAgo(20_000)).toBe("just now");
    expect(formatAgo(25 * 60_000)).toBe("25 min ago");
    expect(formatAgo(26 * 3_600_000 + 5 * 60_000)).toBe("1 d 2 h ago");
  });
});

describe("the time that a job ran", () => {
  it("has seconds below two minutes", () => {
    expect(formatRunTime(-5)).toBe("0 s");
    expect(formatRunTime(12_400)).toBe("12 s");
    expect(formatRunTime(119_000)).toBe("1 min 59 s");
    expect(formatRunTime(125_000)).toBe("2 min");
  });
});
