// The progress of an array: a bar with a segment for each state, and the
// numbers.
import type { ArrayProgress } from "#proto/jobs";
import { arrayLabel } from "./array_labels";
import { messages } from "#messages/jobs";

export function ArrayBar({ array }: { array: ArrayProgress }) {
  const { total, pending, running, completed, failed } = array;
  const pieces = [
    ["good", completed],
    ["bad", failed],
    ["info", running],
    ["wait", pending],
  ] as const;
  let from = 0;
  const text = arrayLabel(array);
  return (
    <div class="array" data-testid="job-array">
      <svg
        class="array-bar"
        width="100%"
        height="6"
        role="img"
        aria-label={messages.tasksProgress({ progress: text })}
      >
        <rect class="track" width="100%" height="6" rx="3" />
        {pieces.map(([tone, amount]) => {
          const x = percent(from, total);
          from += amount;
          return (
            amount > 0 && (
              <rect
                key={tone}
                data-tone={tone}
                x={x}
                width={percent(amount, total)}
                height="6"
              />
            )
          );
        })}
      </svg>
      <p>{text}</p>
    </div>
  );
}

function percent(amount: number, of: number): string {
  return `${((100 * amount) / Math.max(1, of)).toFixed(2)}%`;
}
