// Audit entries as JSON Lines, in the format of `carmectl audit export`.
import { toJsonString } from "@bufbuild/protobuf";
import { type AuditEntry, AuditEntrySchema } from "#proto/audit";

export function linesOf(entries: readonly AuditEntry[]): string {
  return entries
    .map((entry) => `${toJsonString(AuditEntrySchema, entry)}\n`)
    .join("");
}

export function exportName(at: Date): string {
  return `carme-audit-${at.toISOString().slice(0, 10)}.jsonl`;
}
