// Constants and helpers for one-time codes.
export const kCodeLength = 6;
// A challenge expires after five wrong codes or five minutes. The server
// returns the same error for both, so the page counts the tries.
export const kMaxTries = 5;
export const kStepMs = 5 * 60_000;

// "123 456" as some apps copy it → "123456".
export function digitsOf(text: string): string {
  return text.replace(/\D/g, "").slice(0, kCodeLength);
}

// The secret in groups of four characters, easier to type.
export function secretGroups(secret: string): string[] {
  return secret.match(/.{1,4}/g) ?? [];
}
