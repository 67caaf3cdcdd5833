// Free and used GPUs as a bar: one box for each GPU if there are few, otherwise
// one long box.
const kMaxBoxes = 32;

export function GpuBar({ free, total }: { free: number; total: number }) {
  if (total > kMaxBoxes) {
    return (
      <svg class="gpu-bar-long" width="100%" height="6" aria-hidden="true">
        <rect class="taken" width="100%" height="6" rx="3" />
        <rect
          class="free"
          width={`${(100 * free) / total}%`}
          height="6"
          rx="3"
        />
      </svg>
    );
  }
  return (
    <span class="gpu-bar" aria-hidden="true">
      {Array.from({ length: total }, (_, index) => (
        <span key={index} class={index < free ? "free" : "taken"} />
      ))}
    </span>
  );
}
