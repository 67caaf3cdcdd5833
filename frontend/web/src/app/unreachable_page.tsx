// Shown when the first question, "who am I?", could not be answered.
import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../api/failure";
import { retryDelayMs } from "../features/jobs/reconnect";
import { Icon } from "../ui/icon";
import { RequestId } from "../ui/request_id";

export function UnreachablePage(props: {
  failure: Failure;
  retry(): Promise<void>;
}) {
  const { failure, retry } = props;
  const [attempt, setAttempt] = useState(2);

  // Every failed retry brings a new failure object, which sets the next timer.
  useEffect(() => {
    const delay = retryDelayMs(attempt, Math.random());
    const timer = setTimeout(() => {
      setAttempt(attempt + 1);
      void retry();
    }, delay);
    return () => clearTimeout(timer);
  }, [failure]);

  return (
    <main class="lone">
      <div class="lone-card" role="alert">
        <Icon name="cloud-off" />
        <h1>Carme is not answering</h1>
        <p class="sentence">{failure.sentence}</p>
        <RequestId id={failure.requestId} />
        <button class="button" type="button" onClick={() => void retry()}>
          Try again now
        </button>
        <p class="muted">
          This page tries again by itself. Running jobs are not affected.
        </p>
      </div>
    </main>
  );
}
