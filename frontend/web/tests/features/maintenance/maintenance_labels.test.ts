import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  type Maintenance,
  MaintenanceDetailsSchema,
  MaintenanceSchema,
} from "#proto/maintenance";
import {
  maintenanceLabel,
  reservationText,
} from "../../../src/features/maintenance/maintenance_labels";

const now = new Date(2026, 10, 23, 14, 20).getTime();
const kHour = 3_600_000;
const maintenance = (change: Partial<Omit<Maintenance, "$typeName">> = {}) =>
  create(MaintenanceSchema, {
    message: "New storage",
    startsAt: timestampFromMs(now - kHour),
    endsAt: timestampFromMs(now + 2 * kHour),
    inEffect: true,
    ...change,
  });

describe("the maintenance banner", () => {
  it("shows that no new jobs start, and until when", () => {
    const { title, effect } = maintenanceLabel(maintenance(), now);
    expect(title).toBe("Maintenance, expected until 16:20.");
    expect(effect).toMatch(/^You cannot start new jobs/);
    expect(effect).toMatch(/Running jobs and open apps continue/);
  });

  it("shows that it takes longer than expected", () => {
    const { title } = maintenanceLabel(maintenance(), now + 3 * kHour);
    expect(title).toMatch(/longer than expected/);
  });

  it("announces a later maintenance without a refusal", () => {
    const { title, effect } = maintenanceLabel(
      maintenance({
        startsAt: timestampFromMs(now + kHour),
        inEffect: false,
      }),
      now,
    );
    expect(title).toBe("Maintenance from 15:20 to 16:20.");
    expect(effect).not.toMatch(/You cannot/);
  });

  it("shows administrators that they can start jobs", () => {
    expect(maintenanceLabel(maintenance(), now, true).effect).toMatch(
      /^Only administrators/,
    );
  });

  it("names the reserved nodes", () => {
    const text = (change: object) =>
      reservationText(
        create(MaintenanceDetailsSchema, { reservation: "carme-1", ...change }),
      );
    expect(text({ reservation: "" })).toBe("");
    expect(text({})).toBe("Reservation carme-1 on all nodes");
    expect(text({ partition: "gpu" })).toBe(
      "Reservation carme-1 on partition gpu",
    );
    expect(text({ nodes: "n[1-2]" })).toBe("Reservation carme-1 on n[1-2]");
  });
});
