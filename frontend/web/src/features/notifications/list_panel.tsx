// The user's notifications, read and unread.
import { useState } from "preact/hooks";
import type { Notification } from "#proto/notification";
import { notificationClient } from "../../api/notification";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { QueryView } from "../../ui/loaded_view";
import { StatusMessage } from "../../ui/status_message";
import { Panel } from "../../ui/panel";
import { NotificationRow } from "./notification_row";
import { useNotificationsView } from "./use_notifications";
import { messages } from "./messages";

export function ListPanel() {
  const { list, markRead } = useNotificationsView();
  const mutation = useMutation();
  const [message, setMessage] = useState("");
  const [older, setOlder] = useState<readonly Notification[]>([]);
  const [noMore, setNoMore] = useState(false);
  const newest = list.value?.notifications ?? [];
  const from = newest.at(-1)?.id ?? 0n;
  // New notifications shift the pages, so duplicates are removed.
  const rest = older.filter(({ id }) => id < from);
  const unread = list.value?.unread ?? 0;

  const readAll = () =>
    mutation.run(async () => {
      await markRead([], newest[0]?.id ?? 0n);
      setOlder(rest.map((each) => ({ ...each, read: true })));
      setMessage("All notifications marked as read.");
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
      const before = rest.at(-1)?.id ?? from;
      const answer = await notificationClient.listNotifications({ before });
      setOlder([...rest, ...answer.notifications]);
      setNoMore(!answer.more);
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
      <StatusMessage text={message} />
      {mutation.failure && <FailureNote failure={mutation.failure} />}
      <QueryView loaded={list}>
        {({ more }) => (
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
            {more && !noMore && (
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
