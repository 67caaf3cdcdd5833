import type { GpuType } from "#proto/cluster";
import { Icon } from "../../ui/icon";
import { GpuBar } from "./gpu_bar";
import { messages } from "#messages/dashboard";

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
      <button
        class="gpu-choice"
        type="button"
        aria-pressed={chosen}
        title={title(gpu)}
        onClick={() => onChoose(gpu.type)}
      >
        <span class="gpu-head">
          <span class="gpu-name">
            {chosen && <Icon name="check" />} {gpu.type}
          </span>{" "}
          {gpu.down > 0 && (
            <span class="gpu-down">
              {messages.gpusDown({ gpus: gpu.down })}
            </span>
          )}{" "}
          <span class="gpu-count" data-none={gpu.free === 0}>
            <strong>{gpu.free}</strong>{" "}
            {messages.ofTotalFree({ total: gpu.total })}
          </span>
        </span>
        <GpuBar free={gpu.free} total={gpu.total} />
        <span class="sr-only">{messages.selectInTheStartForm}</span>
      </button>
    </li>
  );
}

function title({ free, maxFreePerNode, maxPerNode, partitions }: GpuType) {
  return [
    free > 0
      ? messages.freeOnOneNode({ gpus: maxFreePerNode })
      : messages.onOneNode({ gpus: maxPerNode }),
    ...partitions.map((name) => messages.partition({ name })),
  ].join(" · ");
}
