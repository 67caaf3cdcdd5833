// The last notifications, each with a link to what it is about.
import type { Notification } from "#proto/notification";
import { hrefOf } from "../../routes/route";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { Moment } from "../../ui/moment";
import { Popover } from "../../ui/popover";
import { bellLabel, kindLabels, subjectHref } from "./notification_labels";
import type { NotificationsView } from "./use_notifications";
import { messages } from "#messages/notifications";

const kShown = 10;

export function Bell({ view }: { view: NotificationsView }) {
  const { list, markRead } = view;
  const { busy, failure, run } = useMutation();
  const newest = (list.value?.notifications ?? []).slice(0, kShown);
  const unread = list.value?.unread ?? 0;
  const upTo = newest[0]?.id ?? 0n;
  return (
    <Popover
      label={bellLabel(unread)}
      class="icon-button bell"
      testId="bell"
      data={{ "data-unread": unread }}
      button={
        <>
          <Icon name="bell" />
          {unread > 0 && (
            <span class="bell-count" aria-hidden="true">
              {unread > 99 ? messages.moreUnreadThanShown : unread}
            </span>
          )}
        </>
      }
    >
      {(close) => (
        <div class="bell-panel">
          <div class="bell-head">
            <h2>{messages.notifications}</h2>
            {unread > 0 && (
              <button
                class="link-button"
                type="button"
                data-testid="bell-read-all"
                aria-disabled={busy}
                onClick={() => void run(() => markRead([], upTo))}
              >
                {messages.markAllAsRead}
              </button>
            )}
          </div>
          {(failure ?? list.failure) && (
            <FailureNote failure={(failure ?? list.failure)!} />
          )}
          {newest.length === 0 && (
            <p class="muted bell-none">
              {messages.noNotificationsMessagesAboutYour}
            </p>
          )}
          <ul>
            {newest.map((notification) => (
              <Entry
                key={String(notification.id)}
                notification={notification}
                onOpen={() => {
                  close();
                  if (!notification.read) {
                    void run(() => markRead([notification.id]));
                  }
                }}
              />
            ))}
          </ul>
          <a
            class="bell-foot"
            href={hrefOf("notifications")}
            data-testid="bell-all"
            onClick={close}
          >
            {messages.allNotificationsAndDelivery}
          </a>
        </div>
      )}
    </Popover>
  );
}

function Entry(props: { notification: Notification; onOpen(): void }) {
  const { id, at, kind, text, read } = props.notification;
  return (
    <li>
      <a
        class="bell-entry"
        href={subjectHref(props.notification)}
        data-testid={`bell-entry-${id}`}
        data-read={read}
        onClick={props.onOpen}
      >
        <Icon name={kindLabels(kind).icon} />
        <span>
          <span class="sentence bell-text">
            {!read && <span class="sr-only">{messages.unread} </span>}
            {text}
          </span>{" "}
          <span class="muted small">
            <Moment at={at} />
          </span>
        </span>
      </a>
    </li>
  );
}
