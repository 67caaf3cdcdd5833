// Where the values come from, and how complete they are.
import { formatSeconds } from "../../lib/format/duration";
import { formatNumber } from "../../lib/format/number";
import type { MetricsView } from "./metrics_follower";
import { qualityLabel, sourceLabels } from "./series/quality_labels";
import { messages } from "#messages/metrics";

export function DataQuality({ view }: { view: MetricsView }) {
  const { grid, quality, sources, isArchive } = view;
  if (!grid) return null;
  const step = formatSeconds(grid.stepS);
  const names = sourceLabels(sources);
  return (
    <footer class="metrics-quality muted small" data-testid="metrics-quality">
      <p>
        {isArchive
          ? messages.fromArchive({ step })
          : messages.fromDatabase({ step })}
      </p>
      {quality.map((node) => (
        <p key={node.node}>{qualityLabel(node, formatNumber)}</p>
      ))}
      {names.length > 0 && (
        <p>{messages.sources({ sources: names.join(", ") })}</p>
      )}
    </footer>
  );
}
