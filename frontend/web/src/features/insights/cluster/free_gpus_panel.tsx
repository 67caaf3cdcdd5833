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
      title="When GPUs come free"
      about="If every running job takes all of its time, and nobody else takes them first."
      testId="free-gpus"
    >
      {types.length === 0 && <p class="empty">Slurm knows of no GPUs.</p>}
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
              <strong>{gpus.free}</strong> of {gpus.total} free now
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
