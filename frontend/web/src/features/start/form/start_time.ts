// Converts values of datetime-local inputs, in the browser's time zone.
const kForm = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::\d{2})?$/;

// In milliseconds; undefined if the text is not a valid time.
export function parseStart(text: string): number | undefined {
  const parts = kForm.exec(text.trim());
  if (!parts) return undefined;
  const [year, month, day, hour, minute] = parts.slice(1, 6).map(Number);
  const date = new Date(year!, month! - 1, day!, hour!, minute!);
  const same =
    date.getFullYear() === year &&
    date.getMonth() === month! - 1 &&
    date.getDate() === day &&
    date.getMinutes() === minute;
  return same ? date.getTime() : undefined;
}

// The value of the input for a time.
export function startText(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = [
    date.getFullYear(),
    two(date.getMonth() + 1),
    two(date.getDate()),
  ];
  return `${day.join("-")}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
