// The difference of a value to that of another job.
import { formatMeasured, formatSignificant } from "../../lib/format/number";
import { messages } from "#messages/comparison";

// Which values are better for any job; undefined: it depends.
export type Better = "more" | "less" | undefined;

export interface Difference {
  readonly text: string; // "+1.2 GiB (+12 %)"
  readonly verdict: "better" | "worse" | undefined;
}

// Below this share only the rounding of sums differs.
const kRoundingShare = 1e-9;

// Below this share values differ by chance.
const kSmallShare = 0.01;

// undefined: there is none, or one of the values is not known. `format`: of an
// amount, 0 or more. Differences below `negligible` are neither better nor worse.
export function differenceOf(
  base: number | undefined,
  other: number | undefined,
  format: (amount: number) => string,
  better: Better,
  negligible = 0,
): Difference | undefined {
  if (base === undefined || other === undefined) return undefined;
  const delta = other - base;
  const size = Math.max(Math.abs(base), Math.abs(other));
  if (Math.abs(delta) <= kRoundingShare * size) return undefined;
  const sign = delta > 0 ? "+" : "−";
  const share = base === 0 ? undefined : Math.abs(delta / base);
  const absolute = sign + format(Math.abs(delta));
  return {
    text:
      share === undefined
        ? absolute
        : messages.difference({
            absolute,
            percent: messages.percent({ value: sign + percentOf(share) }),
          }),
    verdict:
      Math.abs(delta) < negligible
        ? undefined
        : verdictOf(delta, share, better),
  };
}

function verdictOf(
  delta: number,
  share: number | undefined,
  better: Better,
): Difference["verdict"] {
  if (better === undefined) return undefined;
  if (share !== undefined && share < kSmallShare) return undefined;
  return delta > 0 === (better === "more") ? "better" : "worse";
}

// 0.1234 → "12.3", 12.5 → "1,250".
function percentOf(share: number): string {
  const percent = share * 100;
  return percent < 10 ? formatSignificant(percent, 2) : formatMeasured(percent);
}
