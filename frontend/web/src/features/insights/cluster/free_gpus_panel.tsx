// When GPUs become free: a strip of time for each type, on one axis.
import type { FreeGpus } from "#proto/cluster_utilization";
import { formatMoment } from "../../../lib/format/moment";
import { formatNumber } from "../../../lib/format/number";
import { filledMessage } from "../../../lib/language/filled_message";
import { Panel } from "../../../ui/panel";
import { useNow } from "../../../ui/use_now";
import { freeLabels, freeSegments, timelineEnd } from "./free_gpu_timeline";
import { messages as cluster } from "#messages/cluster";
import { messages } from "#messages/insights";

const kMaxLabels = 6;

export function FreeGpusPanel({ types }: { types: readonly FreeGpus[] }) {
  const now = useNow(60_000);
  const end = timelineEnd(types, now);
  return (
    <Panel
      title={messages.gpuAvailability}
      about={messages.estimateBasedOnTheTime}
      testId="free-gpus"
    >
      {types.length === 0 ? (
        <p class="empty">{messages.thisClusterHasNoGpus}</p>
      ) : (
        <div class="free-timeline">
          <ul class="free-types">
            {types.map((gpus) => (
              <FreeStrip key={gpus.type} gpus={gpus} now={now} end={end} />
            ))}
          </ul>
          <p class="use-axis muted" aria-hidden="true">
            <span>{messages.now}</span>
            <span>{formatMoment((now + end) / 2, now)}</span>
            <span>{formatMoment(end, now)}</span>
          </p>
        </div>
      )}
    </Panel>
  );
}

function FreeStrip(props: { gpus: FreeGpus; now: number; end: number }) {
  const { gpus, now, end } = props;
  const labels = freeLabels(gpus, now, kMaxLabels);
  const x = (ms: number) => (1000 * (ms - now)) / (end - now);
  return (
    <li
      class="free-type"
      data-testid={`free-${gpus.type}`}
      data-free={gpus.free}
    >
      <div>
        <h3>{gpus.type}</h3>
        <p class="small">
          {filledMessage(messages.availableNow, {
            free: <strong>{formatNumber(gpus.free)}</strong>,
            total: formatNumber(gpus.total),
          })}
        </p>
      </div>
      <div>
        <svg
          class="free-strip"
          viewBox="0 0 1000 100"
          preserveAspectRatio="none"
          width="100%"
          height="36"
          aria-hidden="true"
        >
          <rect class="taken" width="1000" height="100" />
          {freeSegments(gpus, now, end).map(({ fromMs, toMs, free }) => {
            const height = gpus.total > 0 ? (100 * free) / gpus.total : 0;
            return (
              <rect
                key={fromMs}
                class="free"
                x={x(fromMs)}
                y={100 - height}
                width={x(toMs) - x(fromMs)}
                height={height}
              >
                <title>
                  {cluster.freeAt({
                    count: free,
                    moment: formatMoment(fromMs, now),
                  })}
                </title>
              </rect>
            );
          })}
        </svg>
        <ul class="free-steps">
          {labels.length === 0 && (
            <li class="muted">
              {gpus.free < gpus.total ? cluster.noEnds : cluster.allFree}
            </li>
          )}
          {labels.map((label) => (
            <li key={label}>{label}</li>
          ))}
        </ul>
      </div>
    </li>
  );
}
