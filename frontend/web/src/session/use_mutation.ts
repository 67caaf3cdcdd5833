// One act at a time of a part of the page, with what went wrong for that part
// to show. A session that is over leads back to the log-in.
import { useCallback, useRef, useState } from "preact/hooks";
import { type Failure, failureOf } from "../api/failure";
import { Declined } from "./reauthentication_gate";
import { useSession } from "./session_context";

export interface Act {
  readonly busy: boolean;
  readonly failure: Failure | undefined;
  // Whether it was done; not when one is on its way already.
  run(work: () => Promise<void>): Promise<boolean>;
  forget(): void; // what went wrong
}

export function useAct(): Act {
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
  const forget = useCallback(() => setFailure(undefined), []);
  return { busy, failure, run, forget };
}
