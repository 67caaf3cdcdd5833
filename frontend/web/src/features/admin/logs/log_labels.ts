// Labels of entries of the service log.
import { type LogEntry, LogSeverity } from "#proto/log";
import { messages } from "../messages";

export function severityLabel({ severity }: LogEntry): {
  label: string;
  tone: "bad" | "wait" | "info";
} {
  switch (severity) {
    case LogSeverity.ERROR:
      return { label: messages.error, tone: "bad" };
    case LogSeverity.INFO:
      return { label: messages.info, tone: "info" };
    default:
      return { label: messages.warning, tone: "wait" };
  }
}

// "k3v9… · Slurm 17 · ada"; empty: not about a job.
export function logJobLabel(entry: LogEntry): string {
  return [
    entry.jobId,
    entry.slurmJobId > 0 && messages.slurmJob(entry.slurmJobId),
    entry.user,
  ]
    .filter(Boolean)
    .join(" · ");
}
