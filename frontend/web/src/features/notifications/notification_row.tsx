import type { Notification } from "#proto/notification";
import { Icon } from "../../ui/icon";
import { Moment } from "../../ui/moment";
import { deliveryLabel, kindLabels, subjectHref } from "./notification_labels";
import { messages } from "#messages/notifications";

export function NotificationRow(props: {
  notification: Notification;
  busy: boolean;
  onRead(): void;
}) {
  const { notification, busy, onRead } = props;
  const { id, at, kind, text, read, deliveries } = notification;
  return (
    <li
      class="row notification"
      data-testid={`notification-${id}`}
      data-kind={kind}
      data-read={read}
    >
      <Icon name={kindLabels(kind).icon} />
      <div class="row-what">
        <p class="notification-text sentence">
          <a
            href={subjectHref(notification)}
            onClick={() => {
              if (!read && !busy) onRead();
            }}
          >
            {!read && <span class="sr-only">{messages.unread} </span>}
            {text}
          </a>
        </p>
        <p class="muted small facts-line">
          <span>
            <Moment at={at} />
          </span>
          {deliveries.map((delivery) => {
            const label = deliveryLabel(delivery);
            return (
              <span
                key={delivery.channel}
                class="delivery"
                data-tone={label.tone}
                data-testid={`delivery-${delivery.channel}`}
              >
                {label.text}
              </span>
            );
          })}
        </p>
      </div>
      {!read && (
        <button
          class="button button-small"
          type="button"
          data-testid="mark-read"
          aria-disabled={busy}
          onClick={onRead}
        >
          {messages.markAsRead}
        </button>
      )}
    </li>
  );
}
