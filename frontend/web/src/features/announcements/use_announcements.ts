// Loads the announcements for the reader. A failure keeps the last ones.
import { createContext } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Announcement } from "#proto/announcement";
import { announcementClient } from "../../api/announcement";
import type { Updates } from "../../session/stream_updates_context";
import { kNoticeTiming, useReloadOn } from "../../session/use_reload";

export interface AnnouncementsView {
  readonly value: readonly Announcement[];
  reload(): Promise<void>;
}

// `hasSession`: otherwise only those for everyone.
export function useAnnouncements(
  hasSession: boolean,
  updates: Updates,
): AnnouncementsView {
  const [value, setValue] = useState<readonly Announcement[]>([]);
  const [failed, setFailed] = useState(false);
  const reload = useCallback(async () => {
    try {
      const { announcements } = hasSession
        ? await announcementClient.listAnnouncements({})
        : await announcementClient.listPublicAnnouncements({});
      setValue(announcements);
      setFailed(false);
    } catch {
      setFailed(true);
      // Other calls of the page report what is wrong.
    }
  }, [hasSession]);
  useEffect(() => void reload(), [reload]);
  useReloadOn(updates, { reload, failed }, kNoticeTiming);
  return useMemo(() => ({ value, reload }), [value, reload]);
}

export const AnnouncementsContext = createContext<AnnouncementsView>({
  value: [],
  reload: () => Promise.resolve(),
});
