// A call that changes something. A component runs one at a time and shows its
// failure. When the session has ended, the log-in page opens instead.
import { useCallback, useRef, useState } from "preact/hooks";
import { type Failure, failureOf } from "../api/failure";
import { Declined } from "./reauthentication_gate";
import { useSession } from "./session_context";

export interface Mutation {
  readonly busy: boolean;
  readonly failure: Failure | undefined;
  // Returns whether `work` succeeded; false when another run is under way.
  run(work: () => Promise<void>): Promise<boolean>;
  clearFailure(): void;
}

export function useMutation(): Mutation {
  const { endIfOver } = useSession();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const running = useRef(false);

  const run = useCallback(
    async (work: () => Promise<void>) => {
      if (running.current) return false;
      running.current = true;
      setBusy(true);
      setFailure(undefined);
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof Declined) return false;
        const next = failureOf(error);
        if (!endIfOver(next)) setFailure(next);
        return false;
      } finally {
        running.current = false;
        setBusy(false);
      }
    },
    [endIfOver],
  );
  const clearFailure = useCallback(() => setFailure(undefined), []);
  return { busy, failure, run, clearFailure };
}
