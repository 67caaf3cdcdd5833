// Values of <input type="date"> and <input type="time">, in the browser's time zone.

// undefined: one is empty or invalid.
export function msOfInputs(day: string, time: string): number | undefined {
  const ms = new Date(`${day}T${time}`).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}

export function dayInput(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

export function timeInput(ms: number): string {
  const at = new Date(ms);
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
