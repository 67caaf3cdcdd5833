import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AnnouncementLevel, AnnouncementSchema } from "#proto/announcement";
import {
  storedDismissals,
  storeDismissals,
  undismissed,
  versionOf,
} from "../../../src/features/announcements/dismissed";

const announcement = (id: string, level: AnnouncementLevel, setMs = 1000) =>
  create(AnnouncementSchema, { id, level, setAt: timestampFromMs(setMs) });
const info = announcement("a", AnnouncementLevel.INFO);
const warning = announcement("b", AnnouncementLevel.WARNING);

afterEach(() => vi.unstubAllGlobals());

describe("undismissed", () => {
  it("keeps a warning, whatever the browser has stored", () => {
    expect(undismissed([warning], [versionOf(warning)])).toEqual([warning]);
  });

  it("hides what was dismissed, until it is changed", () => {
    const dismissed = [versionOf(info)];
    expect(undismissed([info, warning], dismissed)).toEqual([warning]);
    const changed = announcement("a", AnnouncementLevel.INFO, 2000);
    expect(undismissed([changed], dismissed)).toEqual([changed]);
  });
});

describe("storedDismissals", () => {
  it("is empty without storage, or with something else in it", () => {
    vi.stubGlobal("localStorage", undefined);
    expect(storedDismissals()).toEqual([]);
    for (const text of ["{", "{}", "7", '[1,{"a":2}]']) {
      vi.stubGlobal("localStorage", { getItem: () => text });
      expect(storedDismissals()).toEqual([]);
    }
  });

  it("keeps the newest", () => {
    let stored = "";
    vi.stubGlobal("localStorage", {
      getItem: () => stored,
      setItem: (_: string, text: string) => (stored = text),
    });
    storeDismissals(Array.from({ length: 130 }, (_, i) => String(i)));
    expect(storedDismissals()).toHaveLength(100);
    expect(storedDismissals().at(-1)).toBe("129");
  });
});
