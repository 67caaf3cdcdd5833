// Some lines of a log, with local times, levels in colour and matches of a
// search. Drawn again only if they change.
import { useMemo } from "preact/hooks";
import {
  formatClockWithSeconds,
  formatExactly,
} from "../../../lib/format/moment";
import { parseLine } from "./log_lines";
import { splitAtMatches } from "./log_search";

export function LogPiece(props: { text: string; search: string }) {
  const { text, search } = props;
  return useMemo(() => {
    const lines = text.split("\n");
    const isOpen = lines[lines.length - 1] !== "";
    if (!isOpen) lines.pop();
    return (
      <div class="log-piece">
        {lines.map((line, at) => (
          <Line
            key={at}
            line={line}
            end={at < lines.length - 1 || !isOpen ? "\n" : ""}
            search={search}
          />
        ))}
      </div>
    );
  }, [text, search]);
}

function Line(props: { line: string; end: string; search: string }) {
  const { atMs, level, text } = parseLine(props.line);
  return (
    <span data-level={level}>
      {atMs !== undefined && (
        <time
          dateTime={new Date(atMs).toISOString()}
          title={formatExactly(atMs)}
        >
          {formatClockWithSeconds(atMs)}
        </time>
      )}
      {atMs !== undefined && " "}
      {splitAtMatches(text, props.search).map((part, at) =>
        at % 2 === 1 ? <mark key={at}>{part}</mark> : part,
      )}
      {props.end}
    </span>
  );
}
