// What rules found in the samples of a job. Its owner may mute a rule for the
// job, or report a false alarm.
import { useState } from "preact/hooks";
import type { JobFinding } from "#proto/findings";
import { metricsClientOf } from "../../api/metrics";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { type FindingRow, findingRow } from "./finding_rows";
import { messages } from "#messages/findings";

export function FindingList(props: {
  jobId: string;
  cluster: string;
  findings: readonly JobFinding[];
  mayRate: boolean;
  onRated(): void;
}) {
  const { jobId, cluster, findings, mayRate, onRated } = props;
  const mutation = useMutation();
  const [showsMuted, setShowsMuted] = useState(false);
  const rows = findings.map((finding) => findingRow(finding, Date.now()));
  const muted = rows.filter(({ isMuted }) => isMuted);
  const shown = rows.filter(({ isMuted }) => showsMuted || !isMuted);
  const rate = (row: FindingRow, isMuted: boolean, isFalseAlarm: boolean) =>
    void mutation.run(async () => {
      await metricsClientOf(cluster).rateJobFinding({
        jobId,
        rule: row.rule,
        muted: isMuted,
        falseAlarm: isFalseAlarm,
      });
      onRated();
    });

  return (
    <>
      {rows.length === 0 && (
        <p class="muted" data-testid="no-findings">
          {messages.noFindings}
        </p>
      )}
      <ul class="findings">
        {shown.map((row) => (
          <li key={row.key} class="finding" data-testid={`finding-${row.rule}`}>
            <p class="finding-head">
              <span class={`tag tag-${row.tone}`}>{row.severity}</span>{" "}
              <strong>{row.title}</strong>{" "}
              <span class="muted small">
                {[row.where, row.when].filter(Boolean).join(" · ")}
                {row.isMuted && ` · ${messages.muted}`}
                {row.isFalseAlarm && ` · ${messages.falseAlarm}`}
              </span>
            </p>
            <p>{row.remedy}</p>
            <details class="small">
              <summary>{messages.samples}</summary>
              <ul>
                {row.samples.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </details>
            {mayRate && (
              <div class="button-row">
                <button
                  class="button button-small"
                  type="button"
                  aria-disabled={mutation.busy}
                  onClick={() => rate(row, !row.isMuted, row.isFalseAlarm)}
                >
                  {row.isMuted ? messages.unmute : messages.mute}
                </button>
                {!row.isFalseAlarm && (
                  <button
                    class="button button-small"
                    type="button"
                    aria-disabled={mutation.busy}
                    onClick={() => rate(row, true, true)}
                  >
                    {messages.reportFalseAlarm}
                  </button>
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
      {muted.length > 0 && !showsMuted && (
        <button
          class="button button-small"
          type="button"
          data-testid="show-muted"
          onClick={() => setShowsMuted(true)}
        >
          {messages.mutedFindings({ count: muted.length })}
        </button>
      )}
      {mutation.failure && <FailureNote failure={mutation.failure} />}
    </>
  );
}
