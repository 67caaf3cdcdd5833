// A week of reservations, with a column for each day. The list below has the
// same content as text.
import { useEffect, useRef } from "preact/hooks";
import type { Reservation } from "#proto/reservation";
import { Icon } from "../../ui/icon";
import {
  endOf,
  hoursLabel,
  startOf,
  stateLabel,
  timeLabel,
  titleOf,
} from "./reservation_labels";
import { type Block, blocksOf, dayAfter, daysOf, weekOf } from "./week";
import { formatShortDay, formatWeekdayAndDay } from "../../lib/format/moment";
import { messages } from "#messages/reservations";

const kHoursWidth = 48; // px left of today after scrolling
const kHours = [0, 3, 6, 9, 12, 15, 18, 21];

interface Item {
  readonly reservation: Reservation;
  readonly startMs: number;
  readonly endMs: number;
}

export function WeekCalendar(props: {
  reservations: readonly Reservation[];
  week: number; // midnight at the start of the week
  now: number;
  onWeek(week: number): void;
  onChoose(reservation: Reservation): void;
}) {
  const { reservations, week, now, onWeek, onChoose } = props;
  const scroll = useRef<HTMLDivElement>(null);
  // On a narrow screen the week scrolls sideways.
  useEffect(() => {
    const box = scroll.current;
    const today = box?.querySelector<HTMLElement>('[data-today="true"]');
    if (box) box.scrollLeft = today ? today.offsetLeft - kHoursWidth : 0;
  }, [week]);
  const items = reservations.map((reservation) => ({
    reservation,
    startMs: startOf(reservation),
    endMs: endOf(reservation),
  }));
  return (
    <div class="week" data-testid="week">
      <div class="week-head">
        <p class="week-name" aria-live="polite" data-testid="week-name">
          {weekLabel(week)}
        </p>
        <div class="button-row">
          <button
            class="button button-small"
            type="button"
            data-testid="week-before"
            aria-label={messages.previousWeek}
            onClick={() => onWeek(dayAfter(week, -7))}
          >
            <Icon name="back" />
          </button>
          <button
            class="button button-small"
            type="button"
            data-testid="week-now"
            onClick={() => onWeek(weekOf(now))}
          >
            {messages.thisWeek}
          </button>
          <button
            class="button button-small"
            type="button"
            data-testid="week-after"
            aria-label={messages.nextWeek}
            onClick={() => onWeek(dayAfter(week, 7))}
          >
            <Icon name="arrow" />
          </button>
        </div>
      </div>
      <div
        ref={scroll}
        class="week-scroll"
        tabIndex={0}
        role="group"
        aria-label={messages.calendar}
      >
        <div class="week-grid">
          <div class="week-hours" aria-hidden="true">
            {kHours.map((hour) => (
              <span key={hour} style={{ top: `${(hour / 24) * 100}%` }}>
                {String(hour).padStart(2, "0")}
              </span>
            ))}
          </div>
          {daysOf(week).map((day) => (
            <Day key={day} {...{ day, items, now, onChoose }} />
          ))}
        </div>
      </div>
    </div>
  );
}

function Day(props: {
  day: number;
  items: readonly Item[];
  now: number;
  onChoose(reservation: Reservation): void;
}) {
  const { day, items, now, onChoose } = props;
  const end = dayAfter(day, 1);
  const today = day <= now && now < end;
  return (
    <div class="week-day" data-today={today}>
      <p class="week-day-name">{formatWeekdayAndDay(day)}</p>
      <div class="week-day-body">
        {blocksOf(items, day).map((block) => (
          <BlockButton
            key={block.item.reservation.name}
            {...{ block, now, onChoose }}
          />
        ))}
        {today && (
          <span
            class="week-now"
            style={{ top: `${((now - day) / (end - day)) * 100}%` }}
          />
        )}
      </div>
    </div>
  );
}

function BlockButton(props: {
  block: Block<Item>;
  now: number;
  onChoose(reservation: Reservation): void;
}) {
  const { block, now, onChoose } = props;
  const { reservation } = block.item;
  const { top, height, lane, lanes } = block;
  return (
    <button
      class="week-block"
      type="button"
      data-tone={stateLabel(reservation, now).tone}
      data-testid={`week-block-${reservation.name}`}
      title={timeLabel(reservation)}
      aria-label={`${titleOf(reservation)}, ${timeLabel(reservation)}`}
      style={{
        top: `${top * 100}%`,
        height: `${height * 100}%`,
        left: `${(lane / lanes) * 100}%`,
        width: `${100 / lanes}%`,
      }}
      onClick={() => onChoose(reservation)}
    >
      <span class="week-block-title">{titleOf(reservation)}</span>
      <span class="week-block-time">{hoursLabel(reservation)}</span>
    </button>
  );
}

// "23 Nov to 29 Nov 2026".
function weekLabel(week: number): string {
  const last = dayAfter(week, 6);
  return messages.weekFromTo({
    from: formatShortDay(week),
    to: formatShortDay(last),
    year: new Date(last).getFullYear(),
  });
}
