// What the server would say to a booking, asked a moment after the last key.
import { useEffect, useState } from "preact/hooks";
import type { PreviewReservationResponse } from "#proto/reservation";
import { failureOf } from "../../api/failure";
import { reservationClient } from "../../api/reservation";
import { useSession } from "../../session/session_context";
import { type ReservationDraft, reservationOf } from "./reservation_draft";

const kDebounceMs = 250;

export interface ReservationPreview {
  readonly draft: ReservationDraft; // to which this is the answer
  readonly answer: PreviewReservationResponse;
}

// A failed one keeps the last answer: the booking is judged by the server.
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
