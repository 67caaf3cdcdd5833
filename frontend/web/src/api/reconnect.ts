// Intervals for reconnecting and pausing the stream.

// The server sends something at least every 15 s.
export const kSilenceMs = 35_000;
// A hidden tab closes its connection after this time.
export const kHiddenGraceMs = 30_000;
// After a stream of this length the back-off starts again.
export const kHealthyMs = 10_000;

const kFirstMs = 500;
const kMaxMs = 20_000;

// Exponential back-off from 0.5 s to 20 s. The upper half is random, so that
// not all browsers reconnect at once after a restart. `attempt` counts from 0,
// `random` is in [0, 1).
export function retryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(kMaxMs, kFirstMs * 2 ** Math.min(attempt, 16));
  return ceiling / 2 + (ceiling / 2) * random;
}
