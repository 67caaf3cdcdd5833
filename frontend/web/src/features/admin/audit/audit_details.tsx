import type { AuditEntry } from "#proto/audit";
import { formatExactly, msOf } from "../../../lib/format/moment";
import { hexOf } from "./hex";
import { messages } from "#messages/admin";

const kNoUid = 0xffffffff;

export function AuditDetails({ entry }: { entry: AuditEntry }) {
  const at = msOf(entry.at);
  const facts: readonly (readonly [string, string])[] = [
    [messages.time, at === undefined ? "" : formatExactly(at)],
    [messages.uid, entry.actorUid === kNoUid ? "" : String(entry.actorUid)],
    [messages.machine, entry.machine],
    [messages.requestId, entry.requestId],
    [messages.sessionId, entry.sessionId],
    [messages.hash, hexOf(entry.hash)],
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
