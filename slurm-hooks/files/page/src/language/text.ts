// The texts of the page in its language, and numbers and times as the language
// writes them. The catalogue must be activated before the first text is shown.
import type { Catalogue, Key } from "./catalogue";

const kStorageKey = "carme-language";

export type Language = "en" | "de";
export const kLanguages: readonly { code: Language; name: string }[] = [
  { code: "en", name: "English" },
  { code: "de", name: "Deutsch" },
];

let catalogue: Catalogue | undefined;
let language: Language = "en";
let locale = "en-GB";

export function activate(texts: Catalogue, code: Language): void {
  catalogue = texts;
  language = code;
  locale = code === "de" ? "de-DE" : "en-GB";
}

export function activeLanguage(): Language {
  return language;
}

export function activeLocale(): string {
  return locale;
}

// The stored choice, otherwise the first of the browser's languages that the
// page has, otherwise English.
export function languageOf(
  stored: string | null,
  preferred: readonly string[],
): Language {
  for (const tag of [stored ?? "", ...preferred]) {
    const code = tag.toLowerCase().replace(/-.*/, "");
    if (code === "en" || code === "de") return code;
  }
  return "en";
}

export function storedLanguage(): string | null {
  try {
    return localStorage.getItem(kStorageKey);
  } catch {
    return null; // storage is disabled in this browser
  }
}

export function storeLanguage(code: Language): void {
  try {
    localStorage.setItem(kStorageKey, code);
  } catch {
    return;
  }
}

export type Arguments = Readonly<Record<string, string | number>>;

// A message with "{count}" may have the forms "one" and "other".
export function text(key: Key, args: Arguments = {}): string {
  const message = catalogue?.[key];
  if (message === undefined) return key;
  let form: string;
  if (typeof message === "string") {
    form = message;
  } else {
    const count = Number(args["count"]);
    const rule = new Intl.PluralRules(locale).select(count);
    form = rule === "one" ? message.one : message.other;
  }
  return form.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = args[name];
    return typeof value === "number" ? formatNumber(value) : String(value);
  });
}

export function formatNumber(value: number, digits = 0): string {
  return new Intl.NumberFormat(locale, {
    maximumFractionDigits: digits,
  }).format(value);
}

const kUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

// Three digits at most: "1.5 MiB", "210 KiB".
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < kUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit > 0 && value < 99.5 ? (value < 9.995 ? 2 : 1) : 0;
  return `${formatNumber(value, digits)} ${kUnits[unit]}`;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function dateFormat(options: Intl.DateTimeFormatOptions) {
  const key = locale + JSON.stringify(options);
  const found = formatters.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(key, found);
  return found;
}

// What a Date can be; others would throw.
const kMaxDateMs = 8.64e15;
const kNoDate = "–";
const isDate = (ms: number) => Math.abs(ms) <= kMaxDateMs;

// The time today, otherwise the day: short, for a column.
export function formatMoment(ms: number, nowMs: number): string {
  if (!isDate(ms)) return kNoDate;
  const then = new Date(ms);
  const now = new Date(nowMs);
  if (then.toDateString() === now.toDateString()) {
    return dateFormat({ hour: "2-digit", minute: "2-digit" }).format(then);
  }
  const isThisYear = then.getFullYear() === now.getFullYear();
  return dateFormat({
    day: "numeric",
    month: "short",
    ...(isThisYear
      ? { hour: "2-digit", minute: "2-digit" }
      : { year: "numeric" }),
  }).format(then);
}

export function formatFullMoment(ms: number): string {
  if (!isDate(ms)) return kNoDate;
  return dateFormat({ dateStyle: "full", timeStyle: "medium" }).format(ms);
}

// 75 → "1:15 min"; undefined when it is not known.
export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const pad = (value: number) => String(value).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)}:${pad(whole % 60)} min`;
  return `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)} h`;
}
