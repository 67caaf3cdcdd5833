// Units of plots: texts of values, and the steps of axes.
import { formatFixed, formatMeasured } from "../../../lib/format/number";
import { messages } from "#messages/metrics";

export type Unit =
  | "bytes"
  | "bytesPerSecond"
  | "celsius"
  | "cores"
  | "hertz"
  | "number"
  | "perSecond"
  | "ratio" // 0 to 1, shown in percent
  | "score" // 0 to 1
  | "watts";

const kBinary = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

// "1.5 GiB/s", "37.5 %", "2.01 cores". Three significant digits, so that a plot
// can be read to a value.
export function formatValue(unit: Unit, value: number): string {
  if (Number.isNaN(value)) return messages.noValue;
  switch (unit) {
    case "bytes":
      return binary(value);
    case "bytesPerSecond":
      return `${binary(value)}/s`;
    case "celsius":
      return `${formatMeasured(value)} °C`;
    case "cores":
      return messages.cores({
        count: Number(value.toPrecision(3)),
        shown: formatMeasured(value),
      });
    case "hertz":
      return decimal(value, "Hz");
    case "number":
      return formatMeasured(value);
    case "perSecond":
      return `${formatMeasured(value)}/s`;
    case "ratio":
      return `${formatMeasured(value * 100)} %`;
    case "score":
      return formatFixed(value, 2);
    case "watts":
      return `${formatMeasured(value)} W`;
  }
}

// The same on an axis, where the unit of cores is in the title.
export function formatTick(unit: Unit, value: number): string {
  if (unit === "cores" || unit === "score") return formatMeasured(value);
  return formatValue(unit, value);
}

function binary(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (Math.abs(value) >= 1023.5 && unit < kBinary.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${formatMeasured(value)} ${kBinary[unit]}`;
}

const kDecimal = ["", "k", "M", "G"];

function decimal(value: number, unit: string): string {
  let power = 0;
  let shown = value;
  while (Math.abs(shown) >= 999.5 && power < kDecimal.length - 1) {
    shown /= 1000;
    power++;
  }
  return `${formatMeasured(shown)} ${kDecimal[power]}${unit}`;
}

const kSteps = [1, 2, 5];

// The steps that an axis may have, ascending. Bytes have powers of two.
export function axisSteps(unit: Unit): number[] {
  if (unit === "bytes" || unit === "bytesPerSecond") {
    return Array.from({ length: 50 }, (_, power) => 2 ** power);
  }
  const powers = Array.from({ length: 22 }, (_, at) => at - 8);
  return powers.flatMap((power) => kSteps.map((step) => step * 10 ** power));
}

// The unit of a series that has no plot of its own, by its name as Prometheus
// has it.
export function unitOfName(name: string): { unit: Unit; isRate: boolean } {
  const isCounter = name.endsWith("_total");
  const base = isCounter ? name.slice(0, -"_total".length) : name;
  if (base.endsWith("_bytes")) {
    return { unit: isCounter ? "bytesPerSecond" : "bytes", isRate: isCounter };
  }
  if (base.endsWith("_bytes_per_second")) {
    return { unit: "bytesPerSecond", isRate: false };
  }
  if (base.endsWith("_ratio")) return { unit: "ratio", isRate: false };
  if (base.endsWith("_watts")) return { unit: "watts", isRate: false };
  if (base.endsWith("_joules") && isCounter) {
    return { unit: "watts", isRate: true };
  }
  if (base.endsWith("_hertz")) return { unit: "hertz", isRate: false };
  if (base.endsWith("_celsius")) return { unit: "celsius", isRate: false };
  if (isCounter) return { unit: "perSecond", isRate: true };
  return { unit: "number", isRate: false };
}
