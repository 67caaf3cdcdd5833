import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  ReservationState,
  ReservationLimitsSchema,
  ReservationSchema,
} from "#proto/reservation";
import {
  limitLabel,
  stateLabel,
  timeLabel,
  titleOf,
  usableAt,
} from "../../../src/features/reservations/reservation_labels";

const at = (day: number, hour: number) =>
  new Date(2026, 10, day, hour).getTime();
const reservation = (change: object = {}, from = at(23, 9), to = at(23, 11)) =>
  create(ReservationSchema, {
    name: "carme-abcdefgh23456789",
    startsAt: timestampFromMs(from),
    endsAt: timestampFromMs(to),
    nodes: 1,
    ...change,
  });

describe("reservation labels", () => {
  it("has a title or a fallback", () => {
    expect(titleOf(reservation({ title: "Class" }))).toBe("Class");
    expect(titleOf(reservation())).toBe("carme-abcdefgh23456789");
    expect(titleOf(reservation({ forMaintenance: true }))).toBe("Maintenance");
  });

  it("shows the end day only if it differs", () => {
    expect(timeLabel(reservation())).toBe("Mon 23 Nov 2026, 09:00 to 11:00");
    expect(timeLabel(reservation({}, at(23, 9), at(24, 0)))).toBe(
      "Mon 23 Nov 2026, 09:00 to 00:00",
    );
    expect(timeLabel(reservation({}, at(23, 9), at(24, 1)))).toBe(
      "Mon 23 Nov 2026, 09:00 to Tue 24 Nov 2026, 01:00",
    );
  });

  it("shows whether the user has access", () => {
    const now = at(23, 10);
    expect(stateLabel(reservation(), now).text).toBe("reserved");
    expect(stateLabel(reservation({ usable: true }), now).text).toBe(
      "active, you have access",
    );
    expect(stateLabel(reservation({ usable: true }), at(23, 8)).text).toBe(
      "you have access",
    );
    expect(
      stateLabel(reservation({ state: ReservationState.CANCELLING }), now).tone,
    ).toBe("info");
  });

  it("is offered only to users with access", () => {
    const names = (change: object, now = at(23, 8)) =>
      usableAt([reservation(change)], now).length;
    expect(names({})).toBe(0);
    expect(names({ usable: true })).toBe(1);
    expect(names({ usable: true }, at(23, 11))).toBe(0);
    expect(names({ usable: true, state: ReservationState.CREATING })).toBe(0);
    expect(names({ usable: true, state: ReservationState.CANCELLING })).toBe(0);
  });
});

describe("reservation limits", () => {
  const limits = create(ReservationLimitsSchema, {
    maxNodes: 4,
    maxMinutes: 480,
    maxDaysAhead: 30,
    maxPerUser: 2,
    maxPerProject: 8,
  });

  it("shows the project limit only for projects", () => {
    expect(limitLabel(limits, false)).toBe(
      "At most 4 nodes, 8 h, 30 days ahead, and 2 for you at once.",
    );
    expect(limitLabel(limits, true)).toBe(
      "At most 4 nodes, 8 h, 30 days ahead, and 2 for you and 8 for the project at once.",
    );
  });
});
