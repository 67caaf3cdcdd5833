// Reservations of a day, a week or a month. The list below has the same content
// as text.
import type { Reservation } from "#proto/reservation";
import { Icon } from "../../ui/icon";
import { DayColumns } from "./day_columns";
import type { Span } from "./days";
import { MonthGrid } from "./month_grid";
import {
  dayIn,
  daysIn,
  kViews,
  neighbourOf,
  type Period,
  periodLabel,
  periodOf,
  type View,
} from "./period";
import { calendarItemOf } from "./reservation_labels";
import { messages } from "#messages/reservations";

const kViewLabels: Record<View, string> = {
  day: messages.dayView,
  week: messages.weekView,
  month: messages.monthView,
};
const kBefore: Record<View, string> = {
  day: messages.previousDay,
  week: messages.previousWeek,
  month: messages.previousMonth,
};
const kAfter: Record<View, string> = {
  day: messages.nextDay,
  week: messages.nextWeek,
  month: messages.nextMonth,
};

export function Calendar(props: {
  reservations: readonly Reservation[];
  period: Period;
  now: number;
  planned: Span | undefined; // of the form
  onPeriod(period: Period): void;
  onChoose(reservation: Reservation): void;
  onBook?(span: Span): void; // absent: the user cannot reserve
}) {
  const { reservations, period, now, planned, onPeriod, onChoose } = props;
  const { view } = period;
  const items = reservations.map(calendarItemOf);
  const days = daysIn(period);
  return (
    <div class="calendar" data-testid="calendar">
      <div class="calendar-head">
        <p class="calendar-name" aria-live="polite" data-testid="calendar-name">
          {periodLabel(period)}
        </p>
        <div class="calendar-controls">
          <div class="segments" role="group" aria-label={messages.view}>
            {kViews.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={view === each}
                data-testid={`calendar-${each}`}
                onClick={() => onPeriod(periodOf(each, dayIn(period, now)))}
              >
                {kViewLabels[each]}
              </button>
            ))}
          </div>
          <div class="calendar-steps">
            <button
              class="button button-small"
              type="button"
              data-testid="calendar-before"
              aria-label={kBefore[view]}
              title={kBefore[view]}
              onClick={() => onPeriod(neighbourOf(period, -1))}
            >
              <Icon name="back" />
            </button>
            <button
              class="button button-small"
              type="button"
              data-testid="calendar-today"
              onClick={() => onPeriod(periodOf(view, now))}
            >
              {messages.today}
            </button>
            <button
              class="button button-small"
              type="button"
              data-testid="calendar-after"
              aria-label={kAfter[view]}
              title={kAfter[view]}
              onClick={() => onPeriod(neighbourOf(period, 1))}
            >
              <Icon name="arrow" />
            </button>
          </div>
        </div>
      </div>
      {view === "month" ? (
        <MonthGrid
          days={days}
          monthStart={period.startMs}
          {...{ items, now, onChoose }}
          onDay={(day) => onPeriod(periodOf("day", day))}
        />
      ) : (
        <DayColumns
          key={`${view} ${period.startMs}`}
          {...{ view, days, items, now, planned, onChoose }}
          {...(props.onBook && { onBook: props.onBook })}
        />
      )}
    </div>
  );
}
