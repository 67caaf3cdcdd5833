// The GPU saturation score (common/gpu_saturation), for each sample and over a
// time. Absent components make no score.

export interface SaturationInput {
  readonly smActive: number; // 0 to 1
  readonly flopActive: number; // sum of the pipes, may exceed 1
  readonly smOccupancy: number; // 0 to 1
}

// Of the published fit.
const kAlpha = 24.021653821773356;
const kBeta = 3.093540559022677;
const kGamma = 2.0510278298480444;
const kLambda = 11.44627875155378;

const kBelowOne = 1 - Number.EPSILON / 2;

// NaN if a component is NaN.
export function saturation(input: SaturationInput): number {
  const a = clamp(input.smActive);
  const f = Math.max(input.flopActive, 0);
  const o = clamp(input.smOccupancy);
  const score =
    4 *
    (sigmoid(kAlpha * a) - 0.5) *
    (sigmoid(kBeta * f + kGamma * o * Math.exp(-kLambda * f)) - 0.5);
  return Math.min(Math.max(score, 0), kBelowOne);
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

function clamp(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}

export interface Distribution {
  readonly mean: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

// undefined without a value; gaps do not count.
export function distributionOf(
  values: readonly number[],
): Distribution | undefined {
  const known = values
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);
  if (known.length === 0) return undefined;
  const half = Math.floor(known.length / 2);
  return {
    mean: known.reduce((sum, value) => sum + value, 0) / known.length,
    median:
      known.length % 2 === 1
        ? known[half]!
        : (known[half - 1]! + known[half]!) / 2,
    min: known[0]!,
    max: known[known.length - 1]!,
  };
}
