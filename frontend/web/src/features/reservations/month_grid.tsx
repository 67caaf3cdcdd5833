// The weeks of a month. A day opens by its number.
import type { Reservation } from "#proto/reservation";
import {
  formatClock,
  formatWeekday,
  formatWeekdayAndDay,
} from "../../lib/format/moment";
import { dayAfter } from "./days";
import {
  type CalendarItem,
  stateLabel,
  timeLabel,
  titleOf,
} from "./reservation_labels";
import { messages } from "#messages/reservations";

const kMaxItems = 3; // of a day

export function MonthGrid(props: {
  days: readonly number[]; // whole weeks
  monthStart: number;
  items: readonly CalendarItem[];
  now: number;
  onChoose(reservation: Reservation): void;
  onDay(day: number): void;
}) {
  const { days, monthStart, items, now, onChoose, onDay } = props;
  const month = new Date(monthStart).getMonth();
  return (
    <div class="month" data-testid="calendar-grid">
      {days.slice(0, 7).map((day) => (
        <p key={day} class="month-weekday" aria-hidden="true">
          {formatWeekday(day)}
        </p>
      ))}
      {days.map((day) => {
        const end = dayAfter(day, 1);
        const here = items
          .filter(({ startMs, endMs }) => startMs < end && endMs > day)
          .sort((a, b) => a.startMs - b.startMs);
        const shown = here.length > kMaxItems ? kMaxItems - 1 : kMaxItems;
        return (
          <div
            key={day}
            class="month-day"
            data-today={day <= now && now < end}
            data-outside={new Date(day).getMonth() !== month}
          >
            <button
              class="month-number"
              type="button"
              aria-label={messages.dayWithReservations({
                day: formatWeekdayAndDay(day),
                count: here.length,
              })}
              onClick={() => onDay(day)}
            >
              {new Date(day).getDate()}
            </button>
            {here.slice(0, shown).map(({ reservation, startMs }) => {
              const title = titleOf(reservation);
              const clock = startMs >= day ? formatClock(startMs) : "";
              const time = timeLabel(reservation);
              return (
                <button
                  key={reservation.name}
                  class="month-item"
                  type="button"
                  data-tone={stateLabel(reservation, now).tone}
                  title={`${title}, ${time}`}
                  aria-label={`${clock} ${title}, ${time}`.trim()}
                  onClick={() => onChoose(reservation)}
                >
                  {clock && <span class="month-time">{clock}</span>} {title}
                </button>
              );
            })}
            {here.length > shown && (
              <p class="month-more muted" aria-hidden="true">
                {messages.moreReservations({ count: here.length - shown })}
              </p>
            )}
          </div>
        );
      })}
    </div>
  );
}
