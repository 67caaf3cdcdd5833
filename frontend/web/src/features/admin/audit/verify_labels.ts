import type { VerifyAuditResponse } from "#proto/audit";
import { hexOf } from "./hex";
import { messages } from "#messages/admin";

const kShownOfHash = 16;

export function verifyLabel(answer: VerifyAuditResponse): string {
  const { good, entries, brokenAt, head } = answer;
  if (!good) {
    return `${messages.verificationFailed({ entry: brokenAt })} ${messages.entriesChecked({ count: entries })}`;
  }
  const verified = messages.entriesVerified({ count: entries });
  return head.length > 0
    ? `${verified} ${messages.newestHash({ hash: hashLabel(head) })}`
    : verified;
}

function hashLabel(head: Uint8Array): string {
  return `${hexOf(head).slice(0, kShownOfHash)}…`;
}
