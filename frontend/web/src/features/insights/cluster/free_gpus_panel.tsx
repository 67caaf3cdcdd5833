import type { FreeGpus } from "#proto/cluster_utilization";
import { GpuBar } from "../../dashboard/gpu_bar";
import { Panel } from "../../../ui/panel";
import { useNow } from "../../../ui/use_now";
import { shownNumbers, whenFree } from "./free_gpu_labels";
import { messages } from "../messages";

const kMaxLines = 6;

export function FreeGpusPanel({ types }: { types: readonly FreeGpus[] }) {
  const now = useNow(60_000);
  return (
    <Panel
      title={messages.gpuAvailability}
      about={messages.estimateBasedOnTheTime}
      testId="free-gpus"
    >
      {types.length === 0 && (
        <p class="empty">{messages.thisClusterHasNoGpus}</p>
      )}
      <ul class="free-types">
        {types.map((gpus) => (
          <li
            key={gpus.type}
            class="free-type"
            data-testid={`free-${gpus.type}`}
            data-free={gpus.free}
          >
            <h3>{gpus.type}</h3>
            <p>
              {messages.availableNow(gpus.total).before}
              <strong>{gpus.free}</strong>
              {messages.availableNow(gpus.total).after}
            </p>
            <GpuBar free={gpus.free} total={gpus.total} />
            <dl class="free-steps">
              {shownNumbers(gpus)
                .slice(0, kMaxLines)
                .map((wanted) => (
                  <div key={wanted}>
                    <dt>{wanted}</dt>
                    <dd>{whenFree(gpus, wanted, now)}</dd>
                  </div>
                ))}
            </dl>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
