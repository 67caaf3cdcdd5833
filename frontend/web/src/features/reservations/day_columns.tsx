// A column for each day, with reservations at their time. Users who may reserve
// select free time by dragging, tapping or with the keyboard.
import { useEffect, useId, useRef } from "preact/hooks";
import type { Reservation } from "#proto/reservation";
import { formatMinutes } from "../../lib/format/duration";
import { formatClock, formatWeekdayAndDay } from "../../lib/format/moment";
import { type Block, blocksOf, dayAfter, type Span } from "./days";
import {
  type CalendarItem,
  hoursLabel,
  spanLabel,
  stateLabel,
  timeLabel,
  titleOf,
} from "./reservation_labels";
import { useSelection } from "./use_selection";
import { messages } from "#messages/reservations";

const kHoursWidth = 48; // px left of today after scrolling
const kHourSteps = { day: 1, week: 3 };

export function DayColumns(props: {
  view: "day" | "week";
  days: readonly number[];
  items: readonly CalendarItem[];
  now: number;
  planned: Span | undefined;
  onChoose(reservation: Reservation): void;
  onBook?(span: Span): void;
}) {
  const { view, days, items, now, planned, onChoose, onBook } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const hint = useId();
  // On a narrow screen the week scrolls sideways.
  useEffect(() => {
    const box = scroll.current;
    const today = box?.querySelector<HTMLElement>('[data-today="true"]');
    if (box) box.scrollLeft = today ? today.offsetLeft - kHoursWidth : 0;
  }, []);
  const { span, handlers } = useSelection({
    box: scroll,
    body: ".day-body",
    days,
    now,
    onBook: onBook ?? (() => {}),
  });
  const step = kHourSteps[view];
  const hours = Array.from({ length: 24 / step }, (_, index) => step * index);
  const plan = span ?? planned;
  return (
    <>
      {onBook && (
        <p class="muted small calendar-hint" id={hint}>
          <span class="hint-mouse">{messages.dragToReserve}</span>
          <span class="hint-touch">{messages.tapToReserve}</span>
        </p>
      )}
      <div
        ref={scroll}
        class="calendar-scroll"
        tabIndex={0}
        role="group"
        aria-label={messages.calendar}
        data-testid="calendar-columns"
        data-view={view}
        {...(onBook && { ...handlers, "aria-describedby": hint })}
      >
        <div class="day-columns">
          <div class="day-hours" aria-hidden="true">
            {hours.map((hour) => (
              <span key={hour} style={{ top: `${(hour / 24) * 100}%` }}>
                {String(hour).padStart(2, "0")}
              </span>
            ))}
          </div>
          {days.map((day) => (
            <Day
              key={day}
              {...{ day, items, now, plan, onChoose }}
              selecting={span !== undefined}
              mayReserve={onBook !== undefined}
            />
          ))}
        </div>
      </div>
      {onBook && (
        <p class="sr-only" aria-live="polite" data-testid="calendar-selection">
          {span &&
            messages.selectedTime({
              time: spanLabel(span),
              duration: lengthOf(span),
            })}
        </p>
      )}
    </>
  );
}

function lengthOf({ startMs, endMs }: Span): string {
  return formatMinutes(Math.round((endMs - startMs) / 60_000));
}

function Day(props: {
  day: number;
  items: readonly CalendarItem[];
  now: number;
  plan: Span | undefined;
  selecting: boolean;
  mayReserve: boolean;
  onChoose(reservation: Reservation): void;
}) {
  const { day, items, now, plan, selecting, mayReserve, onChoose } = props;
  const end = dayAfter(day, 1);
  const today = day <= now && now < end;
  const past = Math.min(1, Math.max(0, (now - day) / (end - day)));
  return (
    <div class="day" data-today={today}>
      <p class="day-name">{formatWeekdayAndDay(day)}</p>
      <div class="day-body" data-selectable={mayReserve}>
        <span class="day-past" style={{ height: `${past * 100}%` }} />
        <div class="day-blocks">
          {blocksOf(items, day).map((block) => (
            <BlockButton
              key={block.item.reservation.name}
              {...{ block, now, onChoose }}
            />
          ))}
        </div>
        {plan &&
          blocksOf([plan], day).map(({ top, height }) => (
            <span
              key="plan"
              class="day-plan"
              data-selecting={selecting}
              data-testid="calendar-plan"
              style={{ top: `${top * 100}%`, height: `${height * 100}%` }}
            >
              {plan.startMs >= day &&
                `${formatClock(plan.startMs)}–${formatClock(plan.endMs)} (${lengthOf(plan)})`}
            </span>
          ))}
        {today && <span class="day-now" style={{ top: `${past * 100}%` }} />}
      </div>
    </div>
  );
}

function BlockButton(props: {
  block: Block<CalendarItem>;
  now: number;
  onChoose(reservation: Reservation): void;
}) {
  const { block, now, onChoose } = props;
  const { reservation } = block.item;
  const { top, height, lane, lanes } = block;
  return (
    <button
      class="day-block"
      type="button"
      data-tone={stateLabel(reservation, now).tone}
      data-testid={`calendar-block-${reservation.name}`}
      title={timeLabel(reservation)}
      style={{
        top: `${top * 100}%`,
        height: `${height * 100}%`,
        left: `${(lane / lanes) * 100}%`,
        width: `${100 / lanes}%`,
      }}
      onClick={() => onChoose(reservation)}
    >
      <span class="day-block-title">{titleOf(reservation)}</span>{" "}
      <span class="day-block-time">{hoursLabel(reservation)}</span>
    </button>
  );
}
