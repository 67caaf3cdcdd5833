// The first half of an enrollment. It runs when the dialog opens, because some
// browsers create a passkey only directly after a click.
import { useEffect, useState } from "preact/hooks";
import { useEvent } from "../../lib/use_event";
import { useReauthentication } from "../../session/reauthentication_context";
import { Declined } from "../../session/reauthentication_gate";
import type { Mutation } from "../../session/use_mutation";

// Returns the result of `start`. Calls `close` when the user declines to confirm
// the second factor.
export function useEnrollment<T>(
  mutation: Mutation,
  start: () => Promise<T>,
  close: () => void,
): T | undefined {
  const withReauthentication = useReauthentication();
  const [enrollment, setEnrollment] = useState<T>();
  const enroll = useEvent(() =>
    mutation.run(async () => {
      try {
        setEnrollment(await withReauthentication(start));
      } catch (error) {
        if (error instanceof Declined) close();
        throw error;
      }
    }),
  );
  useEffect(() => void enroll(), [enroll]);
  return enrollment;
}
