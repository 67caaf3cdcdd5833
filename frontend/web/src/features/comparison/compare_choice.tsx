// Choosing jobs of the history for a comparison.
import type { HistoryJob } from "#proto/history";
import { Icon } from "../../ui/icon";
import { comparisonHref, kMaxCompared, kMinCompared } from "./comparison_link";
import "./comparison.css";
import { messages } from "#messages/comparison";

export function CompareBar(props: {
  jobs: readonly HistoryJob[]; // chosen
  onClear(): void;
}) {
  const { jobs, onClear } = props;
  // The earliest job is the one that differences are to.
  const sorted = [...jobs].sort(
    (a, b) =>
      Number(a.endedAt?.seconds ?? 0n) - Number(b.endedAt?.seconds ?? 0n),
  );
  return (
    <div class="compare-bar" role="status" data-testid="compare-bar">
      {jobs.length < kMinCompared ? (
        <span class="muted small">{messages.selectTwo}</span>
      ) : (
        <a
          class="button button-small button-primary"
          data-testid="compare-chosen"
          href={comparisonHref(
            sorted.map(({ id }) => id),
            sorted.map(({ spec }) => spec?.project ?? ""),
          )}
        >
          <Icon name="chart" /> {messages.compareChosen({ count: jobs.length })}
        </a>
      )}
      {jobs.length === kMaxCompared && (
        <span class="muted small">
          {messages.selectMax({ count: kMaxCompared })}
        </span>
      )}
      {jobs.length > 0 && (
        <button class="link-button" type="button" onClick={onClear}>
          {messages.clearSelection}
        </button>
      )}
    </div>
  );
}

export function CompareHead() {
  return (
    <th scope="col" class="compare-choice">
      <span class="sr-only">{messages.compare}</span>
    </th>
  );
}

export function CompareBox(props: {
  name: string;
  isChosen: boolean;
  onChoose(): void;
}) {
  return (
    <td class="compare-choice">
      <input
        type="checkbox"
        data-testid="compare-choose"
        aria-label={messages.selectJob({ name: props.name })}
        checked={props.isChosen}
        onChange={props.onChoose}
      />
    </td>
  );
}
