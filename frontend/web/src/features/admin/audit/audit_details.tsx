import type { AuditEntry } from "#proto/audit";
import { formatExactly, msOf } from "../../../lib/format/moment";
import { hexOf } from "./hex";

const kNoUid = 0xffffffff;

export function AuditDetails({ entry }: { entry: AuditEntry }) {
  const at = msOf(entry.at);
  const facts: readonly (readonly [string, string])[] = [
    ["Time", at === undefined ? "" : formatExactly(at)],
    ["uid", entry.actorUid === kNoUid ? "" : String(entry.actorUid)],
    ["Machine", entry.machine],
    ["Request ID", entry.requestId],
    ["Session ID", entry.sessionId],
    ["Hash", hexOf(entry.hash)],
  ];
  return (
    <dl class="fact-grid">
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="mono">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
