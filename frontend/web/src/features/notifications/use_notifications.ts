// Loads the user's notifications.
import { createContext } from "preact";
import { useCallback, useContext, useMemo, useRef } from "preact/hooks";
import type { ListNotificationsResponse } from "#proto/notification";
import { notificationClient } from "../../api/notification";
import type { Updates } from "../../session/stream_updates_context";
import { type Query, useQuery } from "../../session/use_query";
import { kNoticeTiming, useReloadOn } from "../../session/use_reload";
import { newestShared } from "./notification_labels";

// Of the list in the header.
export const kNotificationsRequest = { pageSize: 100 };

export interface NotificationsView {
  readonly list: Query<ListNotificationsResponse>;
  // Throws the server's error.
  markRead(ids: readonly bigint[], upTo?: bigint): Promise<void>;
}

export function useNotifications(updates: Updates): NotificationsView {
  const list = useQuery(() =>
    notificationClient.listNotifications(kNotificationsRequest),
  );
  const { reload, failure } = list;
  useReloadOn(
    updates,
    { reload, failed: failure !== undefined },
    kNoticeTiming,
  );
  const markRead = useCallback(
    async (ids: readonly bigint[], upTo = 0n) => {
      await notificationClient.markRead({ ids: [...ids], upTo });
      await reload();
    },
    [reload],
  );
  return useMemo(() => ({ list, markRead }), [list, markRead]);
}

// Changes when a notification about shared objects arrives after the page was
// opened: what the page loaded is then out of date.
export function useSharedNews({ list }: NotificationsView): string {
  const first = useRef<string>();
  if (!list.value) return "";
  const newest = newestShared(list.value.notifications);
  first.current ??= newest;
  return newest === first.current ? "" : newest;
}

export const NotificationsContext = createContext<
  NotificationsView | undefined
>(undefined);

export function useNotificationsView(): NotificationsView {
  const view = useContext(NotificationsContext);
  if (!view) throw new Error("useNotificationsView: no provider");
  return view;
}
