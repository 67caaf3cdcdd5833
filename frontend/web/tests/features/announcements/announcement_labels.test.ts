import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  AnnouncementAudience,
  AnnouncementDetailsSchema,
} from "#proto/announcement";
import {
  audienceLabel,
  stateLabel,
} from "../../../src/features/announcements/announcement_labels";

const kNow = 1_800_000_000_000;

function details(audience: AnnouncementAudience, audienceName = "") {
  return create(AnnouncementDetailsSchema, { audience, audienceName });
}

describe("audienceLabel", () => {
  it("names the readers", () => {
    const projects = new Map([["p-1", "Chem"]]);
    const label = (audience: AnnouncementAudience, name = "") =>
      audienceLabel(details(audience, name), projects);
    expect(label(AnnouncementAudience.EVERYONE)).toBe("For everyone");
    expect(label(AnnouncementAudience.PROJECT, "p-1")).toContain("Chem");
    expect(label(AnnouncementAudience.PROJECT, "p-2")).toContain("p-2");
    expect(label(AnnouncementAudience.GROUP, "chem")).toContain("chem");
    expect(label(AnnouncementAudience.ROLE, "admin")).not.toContain("admin ");
  });
});

describe("stateLabel", () => {
  it("is planned, shown or ended", () => {
    const at = (start: number, end: number) =>
      stateLabel(
        create(AnnouncementDetailsSchema, {
          announcement: {
            startsAt: timestampFromMs(kNow + start),
            endsAt: timestampFromMs(kNow + end),
          },
        }),
        kNow,
      ).text;
    expect(at(1000, 2000)).toBe("Planned");
    expect(at(-1000, 1000)).toBe("Shown now");
    expect(at(-2000, 0)).toBe("Ended");
  });
});
