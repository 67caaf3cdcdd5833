// Search in a log: plain text, in any case.

// More are not counted.
export const kMaxMatches = 10_000;

// Splits a text at the matches: odd places match.
export function splitAtMatches(text: string, search: string): string[] {
  if (search === "") return [text];
  const parts: string[] = [];
  const lower = lowerOf(text);
  const wanted = lowerOf(search);
  let from = 0;
  for (;;) {
    const at = lower.indexOf(wanted, from);
    if (at < 0) break;
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  parts.push(text.slice(from));
  return parts;
}

export function countMatches(text: string, search: string): number {
  if (search === "") return 0;
  const lower = lowerOf(text);
  const wanted = lowerOf(search);
  let count = 0;
  let at = lower.indexOf(wanted);
  while (at >= 0 && count < kMaxMatches) {
    count++;
    at = lower.indexOf(wanted, at + wanted.length);
  }
  return count;
}

// Lower case of ASCII only, so that places in the text stay the same.
function lowerOf(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
