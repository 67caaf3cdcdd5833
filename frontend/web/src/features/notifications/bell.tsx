import { hrefOf } from "../../routes/route";
import { Icon } from "../../ui/icon";
import { bellWords } from "./notification_labels";

export function Bell(props: { unread: number; current: boolean }) {
  const { unread, current } = props;
  return (
    <a
      class="topbar-link bell"
      href={hrefOf("notifications")}
      data-test="bell"
      data-unread={unread}
      aria-label={bellWords(unread)}
      title={bellWords(unread)}
      aria-current={current ? "true" : undefined}
    >
      <Icon name="bell" />
      {unread > 0 && (
        <span class="bell-count" aria-hidden="true">
          {unread > 99 ? "99+" : unread}
        </span>
      )}
    </a>
  );
}
