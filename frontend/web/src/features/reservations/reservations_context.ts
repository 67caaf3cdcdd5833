// The reservations of the cluster, for all components that need them. Loaded
// with the page, when `occasion` changes, after each change, and every minute.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ListReservationsResponse, Reservation } from "#proto/reservation";
import { reservationClient } from "../../api/reservation";
import { type Query, useQuery } from "../../session/use_query";
import { useNow } from "../../ui/use_now";

const kNone: readonly Reservation[] = [];
const kMinuteMs = 60_000;

export const ReservationsContext = createContext<readonly Reservation[]>(kNone);

export function useReservations(): readonly Reservation[] {
  return useContext(ReservationsContext);
}

export type ReservationList = Query<ListReservationsResponse>;

export function useReservationList(occasion: string): ReservationList {
  const minute = Math.floor(useNow(kMinuteMs) / kMinuteMs);
  return useQuery(
    () => reservationClient.listReservations({}),
    `${minute} ${occasion}`,
  );
}

export function reservationsOf({
  value,
}: ReservationList): readonly Reservation[] {
  return value?.reservations ?? kNone;
}
