import { describe, expect, it } from "vitest";
import {
  blankReservation,
  plannedSpan,
  reservationOf,
  startAt,
  timeFields,
} from "../../../src/features/reservations/reservation_draft";

const now = new Date(2026, 10, 23, 14, 20).getTime();
const draft = (change: Partial<ReturnType<typeof blankReservation>> = {}) => ({
  ...blankReservation(now, "chem", "main"),
  title: "Class",
  ...change,
});

describe("the reservation form", () => {
  it("defaults to the next full hour", () => {
    const { spec } = reservationOf(draft());
    expect(Number(spec?.startsAt?.seconds) * 1000).toBe(
      new Date(2026, 10, 23, 15).getTime(),
    );
    expect(spec?.duration?.seconds).toBe(7200n);
    expect(spec?.project).toBe("chem");
  });

  it("defaults to the next day before midnight", () => {
    const late = new Date(2026, 10, 23, 23, 5).getTime();
    expect(blankReservation(late, "", "main")).toMatchObject({
      day: "2026-11-24",
      time: "00:00",
    });
  });

  it("starts now with the current minute", () => {
    expect(startAt(new Date(2026, 0, 2, 9, 5, 59).getTime())).toEqual({
      day: "2026-01-02",
      time: "09:05",
    });
  });

  it("takes over a time of the calendar, and shows its own there", () => {
    const span = {
      startMs: new Date(2026, 10, 24, 9, 30).getTime(),
      endMs: new Date(2026, 10, 24, 11).getTime(),
    };
    const changed = draft(timeFields(span));
    expect(changed).toMatchObject({
      day: "2026-11-24",
      time: "09:30",
      duration: "1 h 30 min",
    });
    expect(plannedSpan(changed)).toEqual(span);
    for (const change of [{ day: "" }, { time: "25:00" }, { duration: "" }]) {
      expect(plannedSpan(draft(change))).toBeUndefined();
    }
  });

  it("is not sent with invalid fields", () => {
    for (const change of [
      { title: "  " },
      { day: "" },
      { time: "25:00" },
      { duration: "soon" },
      { duration: "" },
      { nodes: "0" },
      { nodes: "two" },
      { nodes: "-1" },
    ]) {
      expect(reservationOf(draft(change)).parseError).toBeTruthy();
    }
  });
});
