// What the server would say to a booking, asked a moment after the last key.
import { useEffect, useState } from "preact/hooks";
import type { PreviewReservationResponse } from "#proto/reservation";
import { failureOf } from "../../api/failure";
import { reservationClient } from "../../api/reservation";
import { useSession } from "../../session/session_context";
import { type BookingDraft, bookingOf } from "./reservation_draft";

const kDebounceMs = 250;

export interface BookingPreview {
  readonly draft: BookingDraft; // to which this is the answer
  readonly answer: PreviewReservationResponse;
}

// A failed one keeps the last answer: the booking is judged by the server.
export function useBookingPreview(
  draft: BookingDraft,
): BookingPreview | undefined {
  const { endIfOver } = useSession();
  const [preview, setPreview] = useState<BookingPreview>();
  useEffect(() => {
    const { spec } = bookingOf(draft);
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
