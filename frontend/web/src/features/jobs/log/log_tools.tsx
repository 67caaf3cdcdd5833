// The controls of a log: search, wrap, follow, copy, download, full screen.
import { useId } from "preact/hooks";
import { useMutation } from "../../../session/use_mutation";
import { CopyButton } from "../../../ui/copy_button";
import { FailureNote } from "../../../ui/failure_note";
import { Icon } from "../../../ui/icon";
import { kMaxMatches } from "./log_search";
import { messages } from "#messages/jobs";

export function LogTools(props: {
  text: string;
  search: string;
  onSearch(search: string): void;
  matches: number;
  match: number; // from 0
  onMatch(match: number): void;
  wraps: boolean;
  onWrap(wraps: boolean): void;
  atEnd: boolean;
  toEnd(): void;
  download(): Promise<void>;
  fullScreen(): void;
}) {
  const { search, matches, match, onMatch, wraps, atEnd } = props;
  const id = useId();
  const saving = useMutation();
  const step = (by: number) =>
    matches > 0 && onMatch((match + by + matches) % matches);
  return (
    <>
      <div class="log-tools" role="toolbar" aria-label={messages.logTools}>
        <label class="sr-only" for={id}>
          {messages.searchLog}
        </label>
        <input
          id={id}
          class="log-search"
          type="search"
          placeholder={messages.searchLog}
          data-testid="log-search"
          value={search}
          onInput={(event) => props.onSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
            if (event.key === "Escape" && search) {
              event.stopPropagation();
              event.preventDefault();
              props.onSearch("");
            }
          }}
        />
        <span class="muted small" role="status" data-testid="log-matches">
          {search && matchLabel(match, matches)}
        </span>
        {matches > 1 && (
          <>
            <button
              class="button button-small"
              type="button"
              onClick={() => step(-1)}
            >
              {messages.previous}
            </button>
            <button
              class="button button-small"
              type="button"
              onClick={() => step(1)}
            >
              {messages.next}
            </button>
          </>
        )}
        <span class="log-tools-end">
          <button
            class="chip-button"
            type="button"
            data-testid="log-wrap"
            aria-pressed={wraps}
            onClick={() => props.onWrap(!wraps)}
          >
            {messages.wrapLines}
          </button>
          <button
            class="chip-button"
            type="button"
            data-testid="log-end"
            aria-pressed={atEnd}
            onClick={props.toEnd}
          >
            {messages.follow}
          </button>
          {props.text && <CopyButton text={props.text} label={messages.copy} />}
          <button
            class="button button-small"
            type="button"
            data-testid="log-download"
            aria-disabled={saving.busy}
            onClick={() => void saving.run(props.download)}
          >
            <Icon name="download" />{" "}
            {saving.busy ? messages.loading : messages.download}
          </button>
          <button
            class="button button-small"
            type="button"
            data-testid="log-full-screen"
            onClick={props.fullScreen}
          >
            {messages.fullScreen}
          </button>
        </span>
      </div>
      {saving.failure && <FailureNote failure={saving.failure} />}
    </>
  );
}

function matchLabel(match: number, matches: number): string {
  if (matches === 0) return messages.noMatches;
  const count = matches < kMaxMatches ? String(matches) : `${matches}+`;
  return messages.matchOf({ match: match + 1, count });
}
