// The reservations of the cluster, for all components that need them. Loaded
// with the page, when `occasion` changes, after each change of the page, and at
// most once a minute when the cluster changes, which includes reservations.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ListReservationsResponse, Reservation } from "#proto/reservation";
import { reservationClient } from "../../api/reservation";
import { type Query, useQuery } from "../../session/use_query";
import type { ReloadTiming } from "../../session/reload_scheduler";
import type { Updates } from "../../session/stream_updates_context";
import { useReloadOn } from "../../session/use_reload";

const kNone: readonly Reservation[] = [];
const kTiming: ReloadTiming = {
  minGapMs: 60_000,
  fallbackMs: 60_000,
  spreadMs: 5_000,
};

export const ReservationsContext = createContext<readonly Reservation[]>(kNone);

export function useReservations(): readonly Reservation[] {
  return useContext(ReservationsContext);
}

export type ReservationList = Query<ListReservationsResponse>;

export function useReservationList(
  occasion: string,
  updates: Updates,
): ReservationList {
  const list = useQuery(() => reservationClient.listReservations({}), occasion);
  const { reload, failure } = list;
  useReloadOn(updates, { reload, failed: failure !== undefined }, kTiming);
  return list;
}

export function reservationsOf({
  value,
}: ReservationList): readonly Reservation[] {
  return value?.reservations ?? kNone;
}
