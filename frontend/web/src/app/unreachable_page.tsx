// Shown when the first request, GetSession, failed. Retries automatically.
import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../api/failure";
import { retryDelayMs } from "../api/reconnect";
import { useEvent } from "../lib/use_event";
import { Icon } from "../ui/icon";
import { RequestId } from "../ui/request_id";
import { messages } from "#messages/app";

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
        <h1>{messages.cannotReachCarme}</h1>
        <p class="sentence">{failure.sentence}</p>
        <RequestId id={failure.requestId} />
        <button class="button" type="button" onClick={() => void retry()}>
          {messages.retryNow}
        </button>
        <p class="muted">{messages.thisPageRetriesAutomaticallyRunning}</p>
      </div>
    </main>
  );
}
