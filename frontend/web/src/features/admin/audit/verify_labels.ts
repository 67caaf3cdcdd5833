import type { VerifyAuditResponse } from "#proto/audit";
import { hexOf } from "./hex";

const kShownOfHash = 16;

export function verifyLabel(answer: VerifyAuditResponse): string {
  const { good, entries, brokenAt, head } = answer;
  const checked = entries === 1n ? "1 entry was" : `${entries} entries were`;
  if (good) {
    const newest = head.length > 0 ? ` Newest hash ${hashLabel(head)}.` : "";
    return `Verified: ${checked} checked, no tampering found.${newest}`;
  }
  return `Verification failed at entry ${brokenAt}: this entry or an earlier one was changed or removed. ${capital(checked)} checked.`;
}

function hashLabel(head: Uint8Array): string {
  return `${hexOf(head).slice(0, kShownOfHash)}…`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
