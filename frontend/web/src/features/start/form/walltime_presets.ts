// The walltimes offered next to the field: common values up to the user's
// limit, and the limit.
const kCommonValues = [30, 60, 120, 240, 480];
const kMax = 5;

// `limit` in minutes; 0 means none.
export function walltimePresets(limit: number): number[] {
  if (limit <= 0) return kCommonValues;
  const below = kCommonValues.filter((minutes) => minutes < limit);
  return [...below, limit].slice(-kMax);
}
