// Labels of entries of the service log.
import { type LogEntry, LogSeverity } from "#proto/log";
import { kError, kInfo, kWarning, type SeverityLabel } from "../severity";
import { messages } from "#messages/admin";

export function severityLabel({ severity }: LogEntry): SeverityLabel {
  switch (severity) {
    case LogSeverity.ERROR:
      return kError;
    case LogSeverity.INFO:
      return kInfo;
    default:
      return kWarning;
  }
}

// "k3v9… · Slurm 17 · ada"; empty: not about a job.
export function logJobLabel(entry: LogEntry): string {
  return [
    entry.jobId,
    entry.slurmJobId > 0 && messages.slurmJob({ id: entry.slurmJobId }),
    entry.user,
  ]
    .filter(Boolean)
    .join(" · ");
}
