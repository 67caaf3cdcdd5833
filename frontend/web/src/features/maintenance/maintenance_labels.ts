// What users and administrators read about a maintenance.
import type { Maintenance, MaintenanceDetails } from "#proto/maintenance";
import { formatMoment, msOf } from "../../lib/format/moment";

export interface MaintenanceLabel {
  readonly title: string;
  readonly effect: string;
}

// `mayTest`: the reader is an administrator.
export function maintenanceLabel(
  { startsAt, endsAt, inEffect }: Maintenance,
  now: number,
  mayTest = false,
): MaintenanceLabel {
  const endMs = msOf(endsAt) ?? now;
  const end = formatMoment(endMs, now);
  if (!inEffect) {
    const start = formatMoment(msOf(startsAt) ?? now, now);
    return {
      title: `Maintenance from ${start} to ${end}.`,
      effect:
        "No new jobs can be started during this time. Running jobs continue.",
    };
  }
  return {
    title:
      endMs > now
        ? `Maintenance, expected until ${end}.`
        : `Maintenance is taking longer than expected (until ${end}).`,
    effect: `${
      mayTest
        ? "Only administrators can start new jobs."
        : "You cannot start new jobs."
    } Running jobs and open apps continue.`,
  };
}

// "Reservation carme-… on partition gpu"; empty: no reservation.
export function reservationText(details: MaintenanceDetails): string {
  const { reservation, partition, nodes } = details;
  if (reservation === "") return "";
  if (partition !== "")
    return `Reservation ${reservation} on partition ${partition}`;
  return `Reservation ${reservation} on ${nodes === "" ? "all nodes" : nodes}`;
}

export function remainingText(reservation: string): string {
  return `Slurm still has reservation ${reservation}; Carme tries again to delete it.`;
}
