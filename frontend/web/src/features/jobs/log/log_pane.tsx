// The end of one log, with older text on demand.
import { useMemo } from "preact/hooks";
import { formatBytes } from "../../../lib/format/memory";
import { useMutation } from "../../../session/use_mutation";
import { CopyButton } from "../../../ui/copy_button";
import { FailureNote } from "../../../ui/failure_note";
import type { LogView } from "./log_follower";
import { isFull, type LogText } from "./log_text";
import { plainText } from "./plain_text";
import { useLog } from "./use_log";
import { useScrollKeeper } from "./use_scroll_keeper";
import { messages } from "../messages";

export function LogPane(props: {
  cluster: string;
  jobId: string;
  app: string;
  ended: boolean;
  task?: number; // of an array
}) {
  const { view, readOlder } = useLog(
    props.cluster,
    props.jobId,
    props.app,
    props.ended,
    props.task,
  );
  const older = useMutation();
  const { log } = view;
  const text = useMemo(() => plainText(log?.text ?? ""), [log?.text]);
  const { box, atEnd, onScroll, toEnd } = useScrollKeeper(text, log?.from ?? 0);
  const failure = older.failure ?? view.failure;

  return (
    <div class="log">
      <div class="log-head">
        {log && log.from > 0 && (
          <Older
            log={log}
            busy={older.busy}
            read={() => void older.run(readOlder)}
          />
        )}
        <span class="log-tools">
          {!atEnd && (
            <button
              class="button button-small"
              type="button"
              data-testid="log-end"
              onClick={toEnd}
            >
              {messages.scrollToEnd}
            </button>
          )}
          {text && <CopyButton text={text} label={messages.copy} />}
        </span>
      </div>
      {failure && <FailureNote failure={failure} testId="log-failure" />}
      <pre
        ref={box}
        class="log-text"
        tabIndex={0}
        aria-label={messages.log}
        data-testid="log-text"
        onScroll={onScroll}
      >
        {text}
        {text === "" && <span class="muted">{emptyLabel(view)}</span>}
      </pre>
      <p class="log-state" data-testid="log-state" data-done={view.done}>
        {stateLabel(view)}
      </p>
    </div>
  );
}

function Older(props: { log: LogText; busy: boolean; read(): void }) {
  const { log, busy, read } = props;
  if (isFull(log)) {
    const { before, after } = messages.olderTextNotShown(formatBytes(log.from));
    return (
      <p class="muted small">
        {before}
        <code>~/.carme</code>
        {after}
      </p>
    );
  }
  return (
    <button
      class="button button-small"
      type="button"
      data-testid="log-older"
      aria-disabled={busy}
      onClick={read}
    >
      {busy ? messages.loading : messages.loadOlder(formatBytes(log.from))}
    </button>
  );
}

function emptyLabel({ known, log }: LogView): string {
  if (!known) return messages.loading;
  return log && log.from > 0 ? "" : messages.nothingWrittenYet;
}

function stateLabel({ log, done, known }: LogView): string {
  if (!known) return "";
  const size = log ? `${formatBytes(log.size)} · ` : "";
  return size + (done ? messages.jobEnded : messages.logIsLive);
}
