// When to try again after the line was lost.

// A line that lived this long was healthy: its end is a first failure.
export const kHealthyMs = 10_000;

const kFirstMs = 500;
const kMaxMs = 20_000;

// Doubles from half a second to twenty; the upper half is random.
// `attempt` counts from 0, `random` is in [0, 1).
export function retryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(kMaxMs, kFirstMs * 2 ** Math.min(attempt, 16));
  return ceiling / 2 + (ceiling / 2) * random;
}
