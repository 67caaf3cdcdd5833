// Loads the user's notifications, again while the page is visible.
import { createContext } from "preact";
import {
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "preact/hooks";
import type { ListNotificationsResponse } from "#proto/notification";
import { notificationClient } from "../../api/notification";
import { type Query, useQuery } from "../../session/use_query";
import { newestShared } from "./notification_labels";

const kPeriodMs = 20_000;

// Of the list in the header.
export const kNotificationsRequest = { pageSize: 100 };

export interface NotificationsView {
  readonly list: Query<ListNotificationsResponse>;
  // Throws the server's error.
  markRead(ids: readonly bigint[], upTo?: bigint): Promise<void>;
}

export function useNotifications(): NotificationsView {
  const [round, setRound] = useState(0);
  const list = useQuery(
    () => notificationClient.listNotifications(kNotificationsRequest),
    String(round),
  );
  useEffect(() => {
    const again = () => {
      if (!document.hidden) setRound((old) => old + 1);
    };
    const timer = setInterval(again, kPeriodMs);
    document.addEventListener("visibilitychange", again);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, []);
  const { reload } = list;
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
