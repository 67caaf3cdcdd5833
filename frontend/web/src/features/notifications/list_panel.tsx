// The user's notifications, read and unread.
import { useState } from "preact/hooks";
import type { Notification } from "#proto/notification";
import { notificationClient } from "../../api/notification";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { NotificationRow } from "./notification_row";
import { useNotificationsView } from "./use_notifications";
import { messages } from "#messages/notifications";

export function ListPanel() {
  const { list, markRead } = useNotificationsView();
  const mutation = useMutation();
  const confirm = useConfirmation();
  const [older, setOlder] = useState<readonly Notification[]>([]);
  // Of the page after `older`; undefined: nothing older was loaded yet.
  const [olderToken, setOlderToken] = useState<string>();
  const newest = list.value?.notifications ?? [];
  const from = newest.at(-1)?.id ?? 0n;
  // New notifications shift the pages, so duplicates are removed.
  const rest = older.filter(({ id }) => id < from);
  const unread = list.value?.unread ?? 0;
  const pageToken = olderToken ?? list.value?.nextPageToken ?? "";

  const readAll = () =>
    mutation.run(async () => {
      await markRead([], newest[0]?.id ?? 0n);
      setOlder(rest.map((each) => ({ ...each, read: true })));
      confirm(messages.allNotificationsMarkedAsRead);
    });
  const readOne = (id: bigint) =>
    mutation.run(async () => {
      await markRead([id]);
      setOlder(
        rest.map((each) => (each.id === id ? { ...each, read: true } : each)),
      );
    });
  const loadOlder = () =>
    mutation.run(async () => {
      const answer = await notificationClient.listNotifications({ pageToken });
      setOlder([...rest, ...answer.notifications]);
      setOlderToken(answer.nextPageToken);
    });
  return (
    <Panel
      title={messages.notifications}
      testId="notifications"
      actions={
        unread > 0 && (
          <button
            class="button button-small"
            type="button"
            data-testid="mark-all-read"
            aria-disabled={mutation.busy}
            onClick={() => void readAll()}
          >
            {messages.markAllAsRead}
          </button>
        )
      }
    >
      {mutation.failure && <FailureNote failure={mutation.failure} />}
      <QueryView loaded={list}>
        {() => (
          <>
            {newest.length === 0 && (
              <p class="muted" data-testid="no-notifications">
                {messages.noNotificationsMessagesAboutYour}
              </p>
            )}
            <ul class="rows">
              {[...newest, ...rest].map((notification) => (
                <NotificationRow
                  key={String(notification.id)}
                  notification={notification}
                  busy={mutation.busy}
                  onRead={() => void readOne(notification.id)}
                />
              ))}
            </ul>
            {pageToken !== "" && (
              <div class="button-row">
                <button
                  class="button button-small"
                  type="button"
                  data-testid="notifications-older"
                  aria-disabled={mutation.busy}
                  onClick={() => void loadOlder()}
                >
                  {messages.loadOlder}
                </button>
              </div>
            )}
          </>
        )}
      </QueryView>
    </Panel>
  );
}
