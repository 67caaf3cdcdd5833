// Labels for reservations.
import {
  ReservationState,
  type Reservation,
  type ReservationLimits,
} from "#proto/reservation";
import { formatMinutes } from "../../lib/format/duration";
import {
  formatClock,
  formatDay,
  formatWeekday,
  msOf,
} from "../../lib/format/moment";
import type { Span } from "./days";
import { messages } from "#messages/reservations";

export interface Label {
  readonly text: string;
  readonly tone: "good" | "wait" | "info" | "bad" | "neutral";
}

// Slurm represents reservations without an end by an end years away.
const kUnlimitedMs = 365 * 24 * 3600_000;

export function startOf({ startsAt }: Reservation): number {
  return msOf(startsAt) ?? 0;
}

export function endOf(reservation: Reservation): number {
  return msOf(reservation.endsAt) ?? startOf(reservation) + kUnlimitedMs;
}

// A reservation in the calendar.
export interface CalendarItem extends Span {
  readonly reservation: Reservation;
}

export function calendarItemOf(reservation: Reservation): CalendarItem {
  return {
    reservation,
    startMs: startOf(reservation),
    endMs: endOf(reservation),
  };
}

export function titleOf({ title, name, forMaintenance }: Reservation): string {
  return title || (forMaintenance ? messages.maintenance : name);
}

// The state of a reservation from the user's point of view.
export function stateLabel(reservation: Reservation, now: number): Label {
  const { state, usable, forMaintenance } = reservation;
  if (state === ReservationState.CREATING) {
    return { text: messages.pendingInSlurm, tone: "wait" };
  }
  if (state === ReservationState.CANCELLING) {
    return { text: messages.beingCancelled, tone: "info" };
  }
  if (forMaintenance) return { text: messages.noJobsAllowed, tone: "bad" };
  if (!usable) return { text: messages.reserved, tone: "neutral" };
  if (endOf(reservation) <= now)
    return { text: messages.over, tone: "neutral" };
  return startOf(reservation) <= now
    ? { text: messages.active, tone: "good" }
    : { text: messages.youHaveAccess, tone: "good" };
}

// "Mon 23 Nov 2026, 09:00 to 11:00"; with the other day where it ends on one.
export function timeLabel(reservation: Reservation): string {
  const startMs = startOf(reservation);
  const endMs = msOf(reservation.endsAt);
  if (endMs !== undefined) return spanLabel({ startMs, endMs });
  return messages.fromWithoutEnd({
    from: `${dayLabel(startMs)}, ${formatClock(startMs)}`,
  });
}

export function spanLabel({ startMs, endMs }: Span): string {
  // An end at midnight belongs to the day before.
  const same = dayLabel(startMs) === dayLabel(endMs - 1);
  const end = formatClock(endMs);
  return messages.fromTo({
    from: `${dayLabel(startMs)}, ${formatClock(startMs)}`,
    to: same ? end : `${dayLabel(endMs)}, ${end}`,
  });
}

function dayLabel(ms: number): string {
  return `${formatWeekday(ms)} ${formatDay(ms)}`;
}

// "09:00–11:00", for a block of the calendar.
export function hoursLabel(reservation: Reservation): string {
  const end = msOf(reservation.endsAt);
  return `${formatClock(startOf(reservation))}–${end === undefined ? "" : formatClock(end)}`;
}

export function lengthLabel(reservation: Reservation): string {
  const end = msOf(reservation.endsAt);
  if (end === undefined) return "";
  return formatMinutes(Math.round((end - startOf(reservation)) / 60_000));
}

// The reservations that jobs of the user may use, next first.
export function usableAt(
  reservations: readonly Reservation[],
  now: number,
): Reservation[] {
  return reservations.filter(
    (reservation) =>
      reservation.usable &&
      endOf(reservation) > now &&
      (reservation.state === ReservationState.UNSPECIFIED ||
        reservation.state === ReservationState.CONFIRMED),
  );
}

// The site's limits for reservations, of projects and of users.
export function limitLabel(
  limits: ReservationLimits,
  forProject: boolean,
): string {
  const { maxNodes, maxMinutes, maxDaysAhead, maxPerUser } = limits;
  const time = formatMinutes(maxMinutes);
  return forProject
    ? messages.limitsOfProject({
        nodes: maxNodes,
        time,
        days: maxDaysAhead,
        ofUser: maxPerUser,
        ofProject: limits.maxPerProject,
      })
    : messages.limitsOfUser({
        nodes: maxNodes,
        time,
        days: maxDaysAhead,
        ofUser: maxPerUser,
      });
}
