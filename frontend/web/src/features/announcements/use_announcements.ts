// Loads the announcements for the reader, again while the page is visible. A
// failure keeps the last ones.
import { createContext } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import type { Announcement } from "#proto/announcement";
import { announcementClient } from "../../api/announcement";
import { useLoadWhileVisible } from "../../session/use_reload";

const kPeriodMs = 60_000;

export interface AnnouncementsView {
  readonly value: readonly Announcement[];
  reload(): Promise<void>;
}

// `hasSession`: otherwise only those for everyone.
export function useAnnouncements(hasSession: boolean): AnnouncementsView {
  const [value, setValue] = useState<readonly Announcement[]>([]);
  const reload = useCallback(async () => {
    try {
      const { announcements } = hasSession
        ? await announcementClient.listAnnouncements({})
        : await announcementClient.listPublicAnnouncements({});
      setValue(announcements);
    } catch {
      // Other calls of the page report what is wrong.
    }
  }, [hasSession]);
  useLoadWhileVisible(reload, kPeriodMs);
  return useMemo(() => ({ value, reload }), [value, reload]);
}

export const AnnouncementsContext = createContext<AnnouncementsView>({
  value: [],
  reload: () => Promise.resolve(),
});
