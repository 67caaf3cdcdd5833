// Parses and formats durations. Walltimes are whole minutes; durations that can
// be shorter than a minute are in seconds.
import { messages } from "#messages/format";

const kMinutesPerDay = 24 * 60;

const kClock = /^(\d{1,4}):([0-5]\d)$/;
// Days, hours and minutes by symbols or by English or German words.
const kUnits =
  /^(?:(\d+(?:\.\d+)?) ?(?:d|tag)[a-z]*)? ?(?:(\d+(?:\.\d+)?) ?(?:h|st)[a-z]*\.?)? ?(?:(\d+) ?(?:m[a-z]*\.?)?)?$/;

// Parses "2 h", "1:30", "1h30", "1.5 h", "45 min", "2 d 4 h",
// "2 Std."; a plain number is minutes. undefined: not a positive time.
export function parseMinutes(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase().replace(/\s+/g, " ");
  const clock = kClock.exec(trimmed);
  if (clock) return positive(Number(clock[1]) * 60 + Number(clock[2]));
  const units = kUnits.exec(trimmed.replace(/,/g, "."));
  if (trimmed === "" || !units) return undefined;
  const [days, hours, minutes] = units
    .slice(1)
    .map((part) => Number(part ?? 0));
  return positive(Math.round(days! * kMinutesPerDay + hours! * 60 + minutes!));
}

const kSeconds = /^(?:(.+) )?(\d{1,6}) ?s(?:e[ck][a-z]*)?\.?$/;

// As above, also with seconds: "30 s", "1 min 30 s".
export function parseSeconds(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase().replace(/\s+/g, " ");
  const [, before, seconds] = kSeconds.exec(trimmed) ?? [];
  if (seconds === undefined) {
    const minutes = parseMinutes(trimmed);
    return minutes && minutes * 60;
  }
  const minutes = before === undefined ? 0 : parseMinutes(before);
  return minutes === undefined
    ? undefined
    : positive(minutes * 60 + Number(seconds));
}

function positive(value: number): number | undefined {
  return value > 0 ? value : undefined;
}

// 90 → "1 h 30 min".
export function formatMinutes(minutes: number): string {
  const days = Math.floor(minutes / kMinutesPerDay);
  const hours = Math.floor((minutes % kMinutesPerDay) / 60);
  const parts = [
    days > 0 ? `${days} d` : "",
    hours > 0 ? `${hours} h` : "",
    minutes % 60 > 0 || minutes === 0 ? `${minutes % 60} min` : "",
  ];
  return parts.filter(Boolean).join(" ");
}

// 90 → "1 min 30 s", 120 → "2 min".
export function formatSeconds(seconds: number): string {
  const rest = seconds % 60;
  const minutes = (seconds - rest) / 60;
  if (rest === 0) return formatMinutes(minutes);
  return minutes > 0 ? `${formatMinutes(minutes)} ${rest} s` : `${rest} s`;
}

// To the second below two minutes: "12 s", "1 h 5 min".
export function formatRunTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 120) return formatSeconds(seconds);
  return formatMinutes(Math.round(seconds / 60));
}

// Remaining time, to the second in the last day: "2 d 3 h", "1:04:09", "4:09".
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= kMinutesPerDay) {
    return formatMinutes(minutes - (minutes % 60));
  }
  const tail = `${two(minutes % 60)}:${two(seconds % 60)}`;
  const hours = Math.floor(minutes / 60);
  return hours > 0 ? `${hours}:${tail}` : tail.replace(/^0/, "");
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

// How long ago: "just now", "5 min ago", "2 d 3 h ago".
export function formatAgo(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return messages.justNow;
  const coarse = minutes < kMinutesPerDay ? minutes : minutes - (minutes % 60);
  return messages.ago({ time: formatMinutes(coarse) });
}
