// The first half of an enrolment, done when its dialog opens: before the click
// that makes a passkey, as some browsers make one only while a click is fresh.
import { useEffect, useState } from "preact/hooks";
import { useFreshFactor } from "../../session/reauthentication_context";
import { Declined } from "../../session/reauthentication_gate";
import type { Act } from "../../session/use_mutation";

// What `start` gave; the dialog closes when the second factor is declined.
export function useEnrolment<T>(
  act: Act,
  start: () => Promise<T>,
  close: () => void,
): T | undefined {
  const withFreshFactor = useFreshFactor();
  const [enrolment, setEnrolment] = useState<T>();
  useEffect(() => {
    void act.run(async () => {
      try {
        setEnrolment(await withFreshFactor(start));
      } catch (error) {
        if (error instanceof Declined) close();
        throw error;
      }
    });
  }, []);
  return enrolment;
}
