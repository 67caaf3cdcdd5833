import { hrefOf } from "../../routes/route";
import { Icon } from "../../ui/icon";
import { bellLabel } from "./notification_labels";
import { messages } from "./messages";

export function Bell(props: { unread: number; current: boolean }) {
  const { unread, current } = props;
  return (
    <a
      class="topbar-link bell"
      href={hrefOf("notifications")}
      data-testid="bell"
      data-unread={unread}
      aria-label={bellLabel(unread)}
      title={bellLabel(unread)}
      aria-current={current ? "true" : undefined}
    >
      <Icon name="bell" />
      {unread > 0 && (
        <span class="bell-count" aria-hidden="true">
          {unread > 99 ? messages.moreUnreadThanShown : unread}
        </span>
      )}
    </a>
  );
}
