// The ratings of gssr-analyze 2 (common/gpu_saturation): words, and the limits
// for values over a time that is selected here.
import { RatedUse_Rating } from "#proto/findings";
import { formatFixed, formatMeasured } from "../../../lib/format/number";
import { messages } from "#messages/metrics";

export type RatedQuantity = "utilization" | "compute" | "powerShare";

// The largest values rated poor, improve and acceptable.
const kLimits: Readonly<Record<RatedQuantity, readonly number[]>> = {
  utilization: [25, 50, 75], // percent
  compute: [1 / 16, 1 / 8, 1 / 4], // sum of the pipes
  powerShare: [1 / 7, 2 / 7, 5 / 7], // of the board's limit
};
const kRatings = [
  RatedUse_Rating.POOR,
  RatedUse_Rating.IMPROVE,
  RatedUse_Rating.ACCEPTABLE,
];

export function ratingOf(what: RatedQuantity, value: number): RatedUse_Rating {
  const place = kLimits[what].findIndex((limit) => value <= limit);
  return kRatings[place] ?? RatedUse_Rating.GOOD;
}

const kWords: Readonly<Record<number, string>> = {
  [RatedUse_Rating.POOR]: messages.ratingPoor,
  [RatedUse_Rating.IMPROVE]: messages.ratingImprove,
  [RatedUse_Rating.ACCEPTABLE]: messages.ratingAcceptable,
  [RatedUse_Rating.GOOD]: messages.ratingGood,
};

export interface Rated {
  readonly value: number;
  readonly rating: RatedUse_Rating;
}

// "45 % (improve)".
function ratedLabel(shown: string, rating: RatedUse_Rating): string {
  const word = kWords[rating];
  return word ? messages.rated({ value: shown, rating: word }) : shown;
}

export function percentLabel({ value, rating }: Rated): string {
  return ratedLabel(`${formatMeasured(value)} %`, rating);
}

export function computeLabel({ value, rating }: Rated): string {
  return ratedLabel(formatFixed(value, 2), rating);
}

export function wattsLabel({ value, rating }: Rated): string {
  return ratedLabel(`${formatMeasured(value)} W`, rating);
}
