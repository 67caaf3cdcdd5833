// Shows announcements above every page and the log-in.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Announcement, AnnouncementLevel } from "#proto/announcement";
import { Icon } from "../../ui/icon";
import {
  mayDismiss,
  storedDismissals,
  storeDismissals,
  undismissed,
  versionOf,
} from "./dismissed";
import { messages } from "#messages/announcements";

const kShortText = 300;
const kShortLines = 3;

export function AnnouncementBanners(props: {
  announcements: readonly Announcement[];
}) {
  const [dismissed, setDismissed] = useState(storedDismissals);
  const shown = undismissed(props.announcements, dismissed);
  const dismiss = (announcement: Announcement) => {
    const versions = [...dismissed, versionOf(announcement)];
    storeDismissals(versions);
    setDismissed(versions);
  };
  if (shown.length === 0) return null;
  return (
    <section class="notices" aria-label={messages.announcements}>
      {shown.map((announcement) => (
        <AnnouncementBanner
          key={versionOf(announcement)}
          announcement={announcement}
          {...(mayDismiss(announcement) && {
            dismiss: () => dismiss(announcement),
          })}
        />
      ))}
    </section>
  );
}

export function AnnouncementBanner(props: {
  announcement: Pick<Announcement, "title" | "text" | "level">;
  whole?: boolean; // a long text is open
  dismiss?(): void;
}) {
  const { announcement, whole = false, dismiss } = props;
  const warns = announcement.level === AnnouncementLevel.WARNING;
  return (
    <div
      class={warns ? "banner" : "banner banner-info"}
      role="status"
      data-testid="announcement"
    >
      <Icon name={warns ? "alert" : "bell"} />
      <div class="notice-text">
        <p>
          <strong>{announcement.title}</strong>
        </p>
        {isLong(announcement.text) ? (
          <details data-testid="announcement-more" open={whole}>
            <summary>{messages.showText}</summary>
            <AnnouncementText text={announcement.text} />
          </details>
        ) : (
          announcement.text && <AnnouncementText text={announcement.text} />
        )}
      </div>
      {dismiss && (
        <button
          class="button button-small"
          type="button"
          data-testid="announcement-dismiss"
          onClick={dismiss}
        >
          {messages.dismiss}
        </button>
      )}
    </div>
  );
}

// Below it is what the reader came for.
function isLong(text: string): boolean {
  return text.length > kShortText || text.split("\n").length > kShortLines;
}

// The parser is loaded when there is a text; until then it is shown as written.
export function AnnouncementText({ text }: { text: string }) {
  const [View, setView] = useState<ComponentType<{ text: string }>>();
  useEffect(() => {
    void import("./markdown_view").then(
      ({ MarkdownView }) => setView(() => MarkdownView),
      () => undefined,
    );
  }, []);
  return View ? <View text={text} /> : <p class="unparsed">{text}</p>;
}
