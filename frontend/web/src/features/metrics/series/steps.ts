// How far the points of a plot are apart.

const kPoints = 900;
// A response has all series; those of many GPUs have fewer points.
const kManyGpus = 16;
const kFewPoints = 300;

// How often agents sample, in seconds.
export function shortestStepS(gpus: number): number {
  return gpus > 0 ? 1 : 5;
}

export function stepFor(lengthMs: number, gpus: number): number {
  const points = gpus > kManyGpus ? kFewPoints : kPoints;
  return Math.max(shortestStepS(gpus), Math.ceil(lengthMs / 1000 / points));
}
