// Rates of counters on a grid.

// Samples are taken every 5 s and shown on a grid of similar steps. Over this
// time a shift between both changes a rate little.
const kWindowS = 15;

// The increase a second over the window before each point. NaN: the counter has
// a gap there, was reset, or has no earlier value in the window.
export function ratesOf(counter: readonly number[], stepS: number): number[] {
  const window = Math.max(1, Math.ceil(kWindowS / stepS));
  return counter.map((value, point) => {
    if (Number.isNaN(value)) return Number.NaN;
    const from = firstBefore(counter, point, window);
    if (from === undefined) return Number.NaN;
    return (value - counter[from]!) / ((point - from) * stepS);
  });
}

// The earliest point of the window from which the counter never fell.
function firstBefore(
  counter: readonly number[],
  point: number,
  window: number,
): number | undefined {
  let first: number | undefined;
  let later = counter[point]!;
  for (let at = point - 1; at >= Math.max(0, point - window); at--) {
    const value = counter[at]!;
    if (Number.isNaN(value)) continue;
    if (value > later) break;
    first = at;
    later = value;
  }
  return first;
}
