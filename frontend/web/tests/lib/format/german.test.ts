// Modules read their texts once, so they are loaded after the catalogue.
import { expect, it } from "vitest";
import { languages } from "#languages";
import { activateCatalogue } from "../../../src/lib/language/catalogue";

const german = languages.find(({ code }) => code === "de")!;
activateCatalogue(await german.load(), german.locale);
const duration = await import("../../../src/lib/format/duration");
const memory = await import("../../../src/lib/format/memory");
const moment = await import("../../../src/lib/format/moment");
const number = await import("../../../src/lib/format/number");

it("numbers have a decimal comma", () => {
  expect(number.formatNumber(1234.5)).toBe("1.234,5");
  expect(memory.formatMib(1536)).toBe("1,5 GiB");
});

it("what is shown can be entered again", () => {
  for (const mib of [500, 1536, 65536, 1887437]) {
    const shown = memory.formatMib(mib);
    expect(memory.formatMib(memory.parseMib(shown)!)).toBe(shown);
  }
  expect(duration.parseMinutes(duration.formatMinutes(1530))).toBe(1530);
  expect(duration.parseSeconds(duration.formatSeconds(90))).toBe(90);
});

it("durations can be entered with German words", () => {
  expect(duration.parseMinutes("1,5 Std.")).toBe(90);
  expect(duration.parseMinutes("2 Tage 3 Stunden")).toBe(3060);
  expect(duration.parseSeconds("30 Sekunden")).toBe(30);
});

it("days have German names", () => {
  const ms = new Date(2026, 4, 3, 14, 5, 9).getTime();
  expect(moment.formatDay(ms)).toBe("3. Mai 2026");
  expect(moment.formatExactly(ms)).toBe("3. Mai 2026, 14:05:09");
  expect(moment.formatWeekday(ms)).toBe("So");
});

it("an age follows its preposition", () => {
  expect(duration.formatAgo(300_000)).toBe("vor 5 min");
});
