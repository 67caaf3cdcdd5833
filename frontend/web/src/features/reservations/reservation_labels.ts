// What a reservation is, in words for a person.
import {
  BookingState,
  type Reservation,
  type ReservationLimits,
} from "#proto/reservation";
import { formatMinutes } from "../../lib/format/duration";
import { formatDay, msOf } from "../../lib/format/moment";

export interface Words {
  readonly text: string;
  readonly tone: "good" | "wait" | "move" | "bad" | "quiet";
}

// Slurm's "for ever" is years away.
const kForEverMs = 365 * 24 * 3600_000;

export function startOf({ startsAt }: Reservation): number {
  return msOf(startsAt) ?? 0;
}

export function endOf(reservation: Reservation): number {
  return msOf(reservation.endsAt) ?? startOf(reservation) + kForEverMs;
}

export function titleOf({ title, name, forMaintenance }: Reservation): string {
  return title || (forMaintenance ? "Maintenance" : name);
}

// Where it stands, seen by the one who looks.
export function stateWords(reservation: Reservation, now: number): Words {
  const { state, usable, forMaintenance } = reservation;
  if (state === BookingState.BOOKING) {
    return { text: "waits for Slurm's answer", tone: "wait" };
  }
  if (state === BookingState.CANCELLING) {
    return { text: "is being cancelled", tone: "move" };
  }
  if (forMaintenance) return { text: "no jobs then", tone: "bad" };
  if (!usable) return { text: "for others", tone: "quiet" };
  if (endOf(reservation) <= now) return { text: "over", tone: "quiet" };
  return startOf(reservation) <= now
    ? { text: "runs now, for you too", tone: "good" }
    : { text: "for you too", tone: "good" };
}

function clock(ms: number): string {
  return new Date(ms).toLocaleTimeString("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
  });
}

// "Mon 23 Nov 2026, 09:00 to 11:00"; with the other day where it ends on one.
export function timeWords(reservation: Reservation): string {
  const start = startOf(reservation);
  const end = msOf(reservation.endsAt);
  const day = (ms: number) =>
    `${new Date(ms).toLocaleDateString("en-GB", { weekday: "short" })} ${formatDay(ms)}`;
  const from = `${day(start)}, ${clock(start)}`;
  if (end === undefined) return `${from}, without an end`;
  // What ends at midnight ends on the day before.
  const same = day(start) === day(end - 1);
  return `${from} to ${same ? clock(end) : `${day(end)}, ${clock(end)}`}`;
}

// "09:00–11:00", for a block of the calendar.
export function hoursWords(reservation: Reservation): string {
  const end = msOf(reservation.endsAt);
  return `${clock(startOf(reservation))}–${end === undefined ? "" : clock(end)}`;
}

export function lengthWords(reservation: Reservation): string {
  const end = msOf(reservation.endsAt);
  if (end === undefined) return "";
  return formatMinutes(Math.round((end - startOf(reservation)) / 60_000));
}

// Those that a job may be started in, the next first.
export function usableAt(
  reservations: readonly Reservation[],
  now: number,
): Reservation[] {
  return reservations.filter(
    (reservation) =>
      reservation.usable &&
      endOf(reservation) > now &&
      (reservation.state === BookingState.UNSPECIFIED ||
        reservation.state === BookingState.BOOKED),
  );
}

// What the site allows whoever books, for a project or for themselves alone.
export function limitWords(
  limits: ReservationLimits,
  forProject: boolean,
): string {
  const { mostNodes, mostMinutes, mostDaysAhead, mostPerUser } = limits;
  const own = `${mostPerUser} of yours`;
  const atOnce = forProject
    ? `${own} and ${limits.mostPerProject} of the project's`
    : own;
  return (
    `At most ${mostNodes} ${mostNodes === 1 ? "node" : "nodes"}, ` +
    `${formatMinutes(mostMinutes)}, ${mostDaysAhead} days ahead, ` +
    `and ${atOnce} at once.`
  );
}
