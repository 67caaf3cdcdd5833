import type { FreeGpus } from "#proto/cluster_utilization";
import { GpuBar } from "../../dashboard/gpu_bar";
import { Panel } from "../../../ui/panel";
import { useNow } from "../../../ui/use_now";
import { askedNumbers, whenFree } from "./free_gpu_labels";

const kMaxLines = 6;

export function FreeGpusPanel({ types }: { types: readonly FreeGpus[] }) {
  const now = useNow(60_000);
  return (
    <Panel
      title="GPU availability"
      about="Estimate based on the time limits of running jobs."
      testId="free-gpus"
    >
      {types.length === 0 && <p class="empty">This cluster has no GPUs.</p>}
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
              <strong>{gpus.free}</strong> of {gpus.total} available now
            </p>
            <GpuBar free={gpus.free} total={gpus.total} />
            <dl class="free-steps">
              {askedNumbers(gpus)
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
