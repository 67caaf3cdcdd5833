// Previews a reservation on the server, shortly after the last key.
import { useEffect, useState } from "preact/hooks";
import type { PreviewReservationResponse } from "#proto/reservation";
import { failureOf } from "../../api/failure";
import { reservationClient } from "../../api/reservation";
import { useSession } from "../../session/session_context";
import { type ReservationDraft, reservationOf } from "./reservation_draft";

const kDebounceMs = 250;

export interface ReservationPreview {
  readonly draft: ReservationDraft; // the previewed form
  readonly answer: PreviewReservationResponse;
}

// A failed preview keeps the last result. The server validates the reservation.
export function useReservationPreview(
  draft: ReservationDraft,
): ReservationPreview | undefined {
  const { endIfOver } = useSession();
  const [preview, setPreview] = useState<ReservationPreview>();
  useEffect(() => {
    const { spec } = reservationOf(draft);
    if (!spec) return;
    const call = new AbortController();
    const ask = async () => {
      try {
        const { signal } = call;
        const answer = await reservationClient.previewReservation(
          { spec },
          { signal },
        );
        setPreview({ draft, answer });
      } catch (error) {
        if (!call.signal.aborted) endIfOver(failureOf(error));
      }
    };
    const timer = setTimeout(() => void ask(), kDebounceMs);
    return () => {
      clearTimeout(timer);
      call.abort();
    };
  }, [draft, endIfOver]);
  return preview;
}
