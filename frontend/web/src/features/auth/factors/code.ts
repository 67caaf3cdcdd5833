// What the page knows of a one-time code and its challenge.
export const kCodeLength = 6;
// A challenge dies after five wrong codes or five minutes; the server says the
// same in both cases, so the page counts for itself.
export const kMaxTries = 5;
export const kStepMs = 5 * 60_000;

// "123 456" as some apps copy it → "123456".
export function digitsOf(text: string): string {
  return text.replace(/\D/g, "").slice(0, kCodeLength);
}

// The secret in groups of four, which people can type.
export function secretGroups(secret: string): string[] {
  return secret.match(/.{1,4}/g) ?? [];
}
