import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { MaintenanceDetailsSchema } from "#proto/maintenance";
import {
  draftOf,
  type MaintenanceDraft,
  requestOf,
} from "../../../src/features/maintenance/maintenance_draft";

const now = new Date(2026, 10, 23, 14, 20).getTime();
const draft = (change: Partial<ReturnType<typeof draftOf>> = {}) => ({
  ...draftOf(undefined, now),
  message: "New storage",
  ...change,
});

describe("the maintenance form", () => {
  it("is not sent with incomplete fields", () => {
    const errorOf = (part: Partial<MaintenanceDraft>) =>
      requestOf(draft(part)).parseError;
    expect(errorOf({ message: " " })).toMatchObject({
      field: "message",
      message: expect.stringMatching(/message/),
    });
    expect(errorOf({ endTime: "" })).toMatchObject({
      field: "endDay",
      message: expect.stringMatching(/end/),
    });
    expect(errorOf({ startDay: "2026-11-24" })).toMatchObject({
      field: "startDay",
      message: expect.stringMatching(/start/),
    });
  });

  it("starts now, until the evening", () => {
    const { request } = requestOf(draft());
    expect(request?.startsAt).toBeUndefined();
    expect(Number(request?.endsAt?.seconds) * 1000).toBe(
      new Date(2026, 10, 23, 18).getTime(),
    );
    const late = new Date(2026, 10, 23, 17, 5).getTime();
    expect(draftOf(undefined, late).endDay).toBe("2026-11-24");
  });

  it("names nodes only with a reservation", () => {
    const nodes = { partition: "gpu", nodes: "n1" };
    expect(requestOf(draft(nodes)).request).toMatchObject({
      reserve: false,
      partition: "",
      nodes: "",
    });
    expect(requestOf(draft({ ...nodes, reserve: true })).request).toMatchObject(
      { reserve: true, partition: "gpu", nodes: "n1" },
    );
  });

  it("shows the current maintenance", () => {
    const start = new Date(2026, 10, 24, 6, 5).getTime();
    const details = create(MaintenanceDetailsSchema, {
      maintenance: {
        message: "Network",
        startsAt: timestampFromMs(start),
        endsAt: timestampFromMs(start + 3_600_000),
        autoEnd: true,
      },
      reservation: "carme-1",
      nodes: "n1",
    });
    expect(draftOf(details, now)).toEqual({
      message: "Network",
      startDay: "2026-11-24",
      startTime: "06:05",
      endDay: "2026-11-24",
      endTime: "07:05",
      autoEnd: true,
      reserve: true,
      partition: "",
      nodes: "n1",
    });
  });
});
