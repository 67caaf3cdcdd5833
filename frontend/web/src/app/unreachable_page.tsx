// Shown when the first request, GetSession, failed. Retries automatically.
import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../api/failure";
import { retryDelayMs } from "../features/jobs/reconnect";
import { useEvent } from "../lib/use_event";
import { Icon } from "../ui/icon";
import { RequestId } from "../ui/request_id";

export function UnreachablePage(props: {
  failure: Failure;
  retry(): Promise<void>;
}) {
  const { failure, retry } = props;
  const [attempt, setAttempt] = useState(2);

  const schedule = useEvent(() =>
    setTimeout(
      () => {
        setAttempt(attempt + 1);
        void retry();
      },
      retryDelayMs(attempt, Math.random()),
    ),
  );
  // Every failed retry returns a new failure object, which starts the next timer.
  useEffect(() => {
    const timer = schedule();
    return () => clearTimeout(timer);
  }, [failure, schedule]);

  return (
    <main class="lone">
      <div class="lone-card" role="alert">
        <Icon name="cloud-off" />
        <h1>Cannot reach Carme</h1>
        <p class="sentence">{failure.sentence}</p>
        <RequestId id={failure.requestId} />
        <button class="button" type="button" onClick={() => void retry()}>
          Retry now
        </button>
        <p class="muted">
          This page retries automatically. Running jobs are not affected.
        </p>
      </div>
    </main>
  );
}
