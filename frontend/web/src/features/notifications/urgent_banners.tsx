// Notifications about the user's account, above every page until they are read.
import type { Notification } from "#proto/notification";
import { formatMoment, msOf } from "../../lib/format/moment";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import type { NotificationsView } from "./use_notifications";
import { messages } from "#messages/notifications";

export function UrgentBanners(props: {
  urgent: readonly Notification[];
  view: NotificationsView;
}) {
  const { busy, failure, run } = useMutation();
  const read = ({ id }: Notification) => run(() => props.view.markRead([id]));
  return (
    <section class="notices" aria-label={messages.notices}>
      {failure && <FailureNote failure={failure} />}
      {props.urgent.map((notification) => (
        <div
          key={String(notification.id)}
          class="banner"
          role="status"
          data-testid={`notice-${notification.id}`}
        >
          <Icon name="bell" />
          <div class="notice-text">
            <p class="sentence">{notification.text}</p>
            <p class="muted small">{when(notification)}</p>
          </div>
          <button
            class="button button-small"
            type="button"
            data-testid="notice-dismiss"
            aria-disabled={busy}
            onClick={() => void read(notification)}
          >
            {messages.dismiss}
          </button>
        </div>
      ))}
    </section>
  );
}

function when({ at }: Notification): string {
  const ms = msOf(at);
  return ms === undefined ? "" : formatMoment(ms, Date.now());
}
