// When to try again after the stream broke, and when to rest.

// The server sends something at least every 15 s.
export const kSilenceMs = 35_000;
// A tab that nobody looks at gives its connection back.
export const kHiddenGraceMs = 30_000;
// A stream that lived this long was healthy: its end is a first failure.
export const kHealthyMs = 10_000;

const kFirstMs = 500;
const kMaxMs = 20_000;

// Doubles from half a second to twenty. The upper half is random, so that a
// frontend that restarts does not meet all its browsers at once.
// `attempt` counts from 0, `random` is in [0, 1).
export function retryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(kMaxMs, kFirstMs * 2 ** Math.min(attempt, 16));
  return ceiling / 2 + (ceiling / 2) * random;
}
