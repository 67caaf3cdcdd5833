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
    const errorOf = (part: Partial<AnnouncementDraft>) => {
      const error = detailsOf({ ...valid, ...part }).parseError;
      return [error?.field, error?.message];
    };
    const { PROJECT, GROUP, ROLE } = AnnouncementAudience;
    expect(errorOf({ title: "  " })).toEqual(["title", "Enter a title."]);
    expect(errorOf({ endTime: "" })).toEqual([
      "endDay",
      expect.stringContaining("end"),
    ]);
    expect(errorOf({ startDay: "2026-11-22" })).toEqual([
      "startDay",
      expect.stringContaining("start"),
    ]);
    expect(errorOf({ audience: PROJECT })).toEqual([
      "project",
      expect.stringContaining("project"),
    ]);
    expect(errorOf({ audience: GROUP, group: " " })).toEqual([
      "group",
      expect.stringContaining("group"),
    ]);
    expect(errorOf({ audience: ROLE })).toEqual([
      "role",
      expect.stringContaining("role"),
    ]);
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
