// Client for reservations.
import { createClient } from "@connectrpc/connect";
import { ReservationService } from "#proto/reservation";
import { transport } from "./transport";

export const reservationClient = createClient(ReservationService, transport);
