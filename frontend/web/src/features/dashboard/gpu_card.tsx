import type { GpuType } from "#proto/cluster";
import { Icon } from "../../ui/icon";
import { GpuBar } from "./gpu_bar";
import { messages } from "./messages";

export function GpuCard(props: {
  gpu: GpuType;
  chosen: boolean; // this type is selected in the start form
  onChoose(type: string): void;
}) {
  const { gpu, chosen, onChoose } = props;
  return (
    <li
      class="gpu-card"
      data-testid={`gpu-card-${gpu.type}`}
      data-free={gpu.free}
      data-total={gpu.total}
    >
      <div class="gpu-head">
        <h3>{gpu.type}</h3>
        <button
          class="chip-button"
          type="button"
          aria-pressed={chosen}
          aria-label={messages.selectInTheStartForm(gpu.type)}
          onClick={() => onChoose(gpu.type)}
        >
          {chosen && <Icon name="check" />} {messages.use}
        </button>
      </div>
      <p class="gpu-count" data-none={gpu.free === 0}>
        <strong>{gpu.free}</strong>
        <span>{messages.ofTotalFree(gpu.total)}</span>
      </p>
      <GpuBar free={gpu.free} total={gpu.total} />
      <p class="gpu-shape muted">
        {gpu.free > 0
          ? messages.freeOnOneNode(gpu.maxFreePerNode)
          : messages.onOneNode(gpu.maxPerNode)}
      </p>
      <ul class="tags">
        {gpu.partitions.map((name) => (
          <li key={name} class="tag" title={messages.partition(name)}>
            {name}
          </li>
        ))}
        {gpu.down > 0 && (
          <li class="tag tag-bad">{messages.gpusDown(gpu.down)}</li>
        )}
      </ul>
    </li>
  );
}
