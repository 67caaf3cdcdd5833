// The usage of the user's storage areas. Hidden if the site configures none.
import type { ComponentChildren } from "preact";
import type { StorageArea } from "#proto/storage";
import { bytesLabel, filesLabel, levelOf, shareOf } from "./storage_labels";
import type { StorageView } from "./use_storage";
import { messages } from "#messages/dashboard";

// The bar is only shown from this share on: an empty one says nothing.
const kShownFrom = 0.5;

export function StoragePanel(props: {
  view: StorageView;
  side?: ComponentChildren; // at the other end of the heading
  actionOf?(area: StorageArea): ComponentChildren;
}) {
  const { view, actionOf } = props;
  const { areas, failure } = view;
  if (areas.length === 0 && !failure) return null;
  return (
    <section
      class="storage"
      aria-labelledby="storage-title"
      data-testid="storage"
    >
      <header class="section-head">
        <h2 id="storage-title">{messages.storage}</h2>
        {failure && (
          <p class="stale" role="status">
            {areas.length > 0
              ? messages.notUpToDate({ reason: failure.sentence })
              : failure.sentence}
          </p>
        )}
        {props.side}
      </header>
      {areas.length > 0 && (
        <ul class="storage-areas">
          {areas.map((area) => (
            <Area
              key={`${area.name} ${area.path}`}
              area={area}
              action={actionOf?.(area)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function Area(props: { area: StorageArea; action: ComponentChildren }) {
  const { area, action } = props;
  const level = levelOf(area);
  const share = Math.max(shareOf(area.bytes) ?? 0, shareOf(area.files) ?? 0);
  const notes = [
    filesLabel(area),
    area.shared && messages.sharedByAllUsers,
    level === "over" && messages.full,
    level === "tight" && messages.nearlyFull,
  ].filter(Boolean);
  return (
    <li
      class="storage-area"
      data-level={level}
      data-testid={`storage-${area.name}`}
    >
      <p class="storage-line">
        <strong title={area.path}>{area.name}</strong>
        <span>{area.problem ? "" : bytesLabel(area)}</span>
      </p>
      {area.problem ? (
        <p class="muted storage-note">{area.problem}</p>
      ) : (
        <>
          {share >= kShownFrom && (
            <svg class="storage-bar" width="100%" height="6" aria-hidden="true">
              <rect class="room" width="100%" height="6" rx="3" />
              <rect class="used" width={`${100 * share}%`} height="6" rx="3" />
            </svg>
          )}
          {notes.length > 0 && (
            <p class="muted storage-note">{notes.join(" · ")}</p>
          )}
        </>
      )}
      {action}
    </li>
  );
}
