// Loads the user's notifications, again while the page is visible.
import { createContext } from "preact";
import {
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "preact/hooks";
import type { ListNotificationsResponse } from "#proto/notification";
import { notificationClient } from "../../api/notification";
import { type Query, useQuery } from "../../session/use_query";

const kPeriodMs = 20_000;
const kShown = 100;

export interface NotificationsView {
  readonly list: Query<ListNotificationsResponse>;
  // Throws the server's error.
  markRead(ids: readonly bigint[], upTo?: bigint): Promise<void>;
}

export function useNotifications(): NotificationsView {
  const [round, setRound] = useState(0);
  const list = useQuery(
    () => notificationClient.listNotifications({ pageSize: kShown }),
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

export const NotificationsContext = createContext<
  NotificationsView | undefined
>(undefined);

export function useNotificationsView(): NotificationsView {
  const view = useContext(NotificationsContext);
  if (!view) throw new Error("useNotificationsView: no provider");
  return view;
}
