// Numbers in the active locale.
import { activeLocale } from "../language/locale";

const formatters = new Map<string, Intl.NumberFormat>();

function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = activeLocale() + JSON.stringify(options);
  const found =
    formatters.get(key) ?? new Intl.NumberFormat(activeLocale(), options);
  formatters.set(key, found);
  return found;
}

// 12345.67 → "12,345.7" with one digit after the point.
export function formatNumber(value: number | bigint, maxDigits = 3): string {
  return formatter({ maximumFractionDigits: maxDigits }).format(value);
}

// 12345.67 → "12345.7": for IDs, and for values that people edit.
export function formatPlain(value: number | bigint, maxDigits = 3): string {
  return formatter({
    maximumFractionDigits: maxDigits,
    useGrouping: false,
  }).format(value);
}

// 2 → "2.0" with one digit after the point.
export function formatFixed(value: number, digits: number): string {
  return formatter({
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}

// 0.012345 → "0.0123", 1.5e9 → "1.50e+9": three significant digits below 100,
// whole numbers above.
export function formatMeasured(value: number): string {
  const size = Number(Math.abs(value).toPrecision(3));
  if (size !== 0 && (size < 0.001 || size >= 1e7)) {
    const [mantissa, exponent] = value.toExponential(2).split("e");
    return `${formatFixed(Number(mantissa), 2)}e${exponent}`;
  }
  if (size >= 100) return formatNumber(value, 0);
  return formatSignificant(value, 3);
}

// 0.01234 → "0.012" with two digits.
export function formatSignificant(value: number, digits: number): string {
  return formatter({ maximumSignificantDigits: digits }).format(value);
}
