import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  AnnouncementAudience,
  AnnouncementDetailsSchema,
  AnnouncementLevel,
} from "#proto/announcement";
import {
  type AnnouncementDraft,
  detailsOf,
  draftOf,
} from "../../../src/features/announcements/announcement_draft";

const now = new Date(2026, 10, 21, 14, 5).getTime();
const blank = draftOf(undefined, now);
const valid: AnnouncementDraft = { ...blank, title: "Storage" };

describe("detailsOf", () => {
  it("names what is missing", () => {
    const errorOf = (part: Partial<AnnouncementDraft>) =>
      detailsOf({ ...valid, ...part }).parseError;
    expect(errorOf({ title: "  " })).toBe("Enter a title.");
    expect(errorOf({ endTime: "" })).toContain("end");
    expect(errorOf({ startDay: "2026-11-22" })).toContain("start");
    expect(errorOf({ audience: AnnouncementAudience.PROJECT })).toContain(
      "project",
    );
    expect(
      errorOf({ audience: AnnouncementAudience.GROUP, group: " " }),
    ).toContain("group");
    expect(errorOf({ audience: AnnouncementAudience.ROLE })).toContain("role");
  });

  it("is for all users, now and for a week, unless chosen otherwise", () => {
    const { details } = detailsOf(valid);
    expect(details?.audience).toBe(AnnouncementAudience.USERS);
    expect(details?.audienceName).toBe("");
    expect(details?.announcement?.level).toBe(AnnouncementLevel.INFO);
    expect(details?.announcement?.startsAt).toBeUndefined();
    expect(details?.announcement?.endsAt).toEqual(
      timestampFromMs(now + 7 * 24 * 3_600_000),
    );
  });

  it("sends only the name of the chosen audience", () => {
    const { details } = detailsOf({
      ...valid,
      audience: AnnouncementAudience.GROUP,
      project: "p-1",
      group: " chem ",
      role: "admin",
    });
    expect(details?.audienceName).toBe("chem");
  });
});

describe("draftOf", () => {
  it("returns the same announcement through the form", () => {
    const details = create(AnnouncementDetailsSchema, {
      announcement: {
        id: "a-1",
        title: "Storage",
        text: "Files **move**.\n\n- home",
        level: AnnouncementLevel.WARNING,
        startsAt: timestampFromMs(now - 60_000),
        endsAt: timestampFromMs(now + 3_600_000),
      },
      audience: AnnouncementAudience.PROJECT,
      audienceName: "p-1",
    });
    expect(detailsOf(draftOf(details, now)).details).toEqual(details);
  });
});
