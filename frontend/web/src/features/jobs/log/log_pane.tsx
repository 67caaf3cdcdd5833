// The end of one log, with older text on demand.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { clientsOf } from "../../../api/core";
import { formatBytes } from "../../../lib/format/memory";
import { useMutation } from "../../../session/use_mutation";
import { download } from "../../../ui/download";
import { FailureNote } from "../../../ui/failure_note";
import { readWholeLog } from "./log_download";
import type { LogView } from "./log_follower";
import { piecesOf, startupOf } from "./log_lines";
import { LogPiece } from "./log_piece";
import { countMatches } from "./log_search";
import { isFull, type LogText } from "./log_text";
import { LogTools } from "./log_tools";
import { plainText } from "./plain_text";
import { useLog } from "./use_log";
import { useScrollKeeper } from "./use_scroll_keeper";
import { filledMessage } from "../../../lib/language/filled_message";
import { formatFixed } from "../../../lib/format/number";
import { messages } from "#messages/jobs";

export function LogPane(props: {
  cluster: string;
  jobId: string;
  app: string;
  ended: boolean;
  task?: number; // of an array
}) {
  const { cluster, jobId, app, ended, task } = props;
  const { view, readOlder } = useLog(cluster, jobId, app, ended, task);
  const older = useMutation();
  const pane = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useState("");
  const [match, setMatch] = useState(0);
  const [wraps, setWraps] = useState(true);
  const { log } = view;
  const text = useMemo(() => plainText(log?.text ?? ""), [log?.text]);
  const startup = useMemo(
    () => (log?.from === 0 ? startupOf(text) : undefined),
    [text, log?.from],
  );
  const rest = startup?.rest ?? text;
  const pieces = useMemo(() => piecesOf(rest), [rest]);
  const matches = useMemo(() => countMatches(text, search), [text, search]);
  const { box, atEnd, onScroll, toEnd } = useScrollKeeper(text, log?.from ?? 0);
  const failure = older.failure ?? view.failure;
  const shown = Math.min(match, Math.max(0, matches - 1));

  useEffect(() => {
    const marks = box.current?.querySelectorAll("mark") ?? [];
    marks.forEach((mark, at) =>
      mark.toggleAttribute("data-current", at === shown),
    );
    if (search) marks[shown]?.scrollIntoView({ block: "nearest" });
  }, [box, search, shown]);

  const save = async () => {
    const parts = await readWholeLog((offset) =>
      clientsOf(cluster).jobs.getLog({
        jobId,
        app,
        offsetBytes: BigInt(offset),
        ...(task !== undefined && { task }),
      }),
    );
    const name = [jobId, app, task].filter(
      (part) => part !== undefined && part !== "",
    );
    download(`${name.join("-")}.log`, parts);
  };

  return (
    <div class="log" ref={pane}>
      <LogTools
        text={text}
        search={search}
        onSearch={(next) => {
          setSearch(next);
          setMatch(0);
        }}
        matches={matches}
        match={shown}
        onMatch={setMatch}
        wraps={wraps}
        onWrap={setWraps}
        atEnd={atEnd}
        toEnd={toEnd}
        download={save}
        fullScreen={() => void toggleFullScreen(pane.current)}
      />
      {log && log.from > 0 && (
        <div class="log-head">
          <Older
            log={log}
            busy={older.busy}
            read={() => void older.run(readOlder)}
          />
        </div>
      )}
      {failure && <FailureNote failure={failure} testId="log-failure" />}
      <div
        ref={box}
        role="region"
        class="log-text"
        tabIndex={0}
        aria-label={messages.log}
        data-testid="log-text"
        data-wraps={wraps}
        onScroll={onScroll}
      >
        {startup && (
          <details class="log-startup" open={search !== ""}>
            <summary data-testid="log-startup">
              {messages.startupLines({
                seconds: formatFixed(startup.ms / 1000, 1),
                lines: startup.lines,
              })}
            </summary>
            <LogPiece text={startup.text} search={search} />
          </details>
        )}
        {pieces.map((piece, at) => (
          <LogPiece key={at} text={piece} search={search} />
        ))}
        {text === "" && <span class="muted">{emptyLabel(view)}</span>}
      </div>
      <p class="log-state" data-testid="log-state" data-done={view.done}>
        {stateLabel(view)}
      </p>
    </div>
  );
}

async function toggleFullScreen(element: HTMLElement | null): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await element?.requestFullscreen();
}

function Older(props: { log: LogText; busy: boolean; read(): void }) {
  const { log, busy, read } = props;
  if (isFull(log)) {
    return (
      <p class="muted small">
        {filledMessage(messages.olderTextNotShown, {
          size: formatBytes(log.from),
          folder: <code>~/.carme</code>,
        })}
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
      {busy
        ? messages.loading
        : messages.loadOlder({ size: formatBytes(log.from) })}
    </button>
  );
}

function emptyLabel({ known, log }: LogView): string {
  if (!known) return messages.loading;
  return log && log.from > 0 ? "" : messages.nothingWrittenYet;
}

function stateLabel({ log, done, known, state }: LogView): string {
  if (!known && !state) return "";
  const label = done ? messages.jobEnded : kStateLabels[state ?? "live"];
  return log ? `${label} · ${formatBytes(log.size)}` : label;
}

const kStateLabels = {
  live: messages.live,
  lost: messages.reconnecting,
  paused: messages.paused,
};
