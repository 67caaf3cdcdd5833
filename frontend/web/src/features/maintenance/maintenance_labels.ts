// What users and administrators read about a maintenance.
import type { Maintenance, MaintenanceDetails } from "#proto/maintenance";
import { formatMoment, msOf } from "../../lib/format/moment";
import { messages } from "#messages/maintenance";

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
      title: messages.announced({ start, end }),
      effect: messages.effectAnnounced,
    };
  }
  return {
    title:
      endMs > now
        ? messages.expectedUntil({ end })
        : messages.takingLonger({ end }),
    effect: mayTest
      ? messages.effectForAdministrators
      : messages.effectForUsers,
  };
}

// "Reservation carme-… on partition gpu"; empty: no reservation.
export function reservationText(details: MaintenanceDetails): string {
  const { reservation, partition, nodes } = details;
  if (reservation === "") return "";
  if (partition !== "")
    return messages.reservationOnPartition({ name: reservation, partition });
  return nodes === ""
    ? messages.reservationOnAllNodes({ name: reservation })
    : messages.reservationOnNodes({ name: reservation, nodes });
}

export function remainingText(reservation: string): string {
  return messages.remainingReservation({ name: reservation });
}
