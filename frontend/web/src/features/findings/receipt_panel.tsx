// What a job asked for and used, and what rules found. Without samples nothing
// is shown.
import type { JobSpec } from "#proto/jobs";
import { metricsClientOf } from "../../api/metrics";
import { useQuery } from "../../session/use_query";
import { Icon } from "../../ui/icon";
import { Panel } from "../../ui/panel";
import { ScoreTable } from "../metrics/score_table";
import { FindingList } from "./finding_list";
import {
  energyLabel,
  idleNodesLabel,
  requestRows,
  smallerSpec,
  usedRows,
} from "./receipt_rows";
import { useLiveFindings } from "./use_live_findings";
import "./findings.css";
import { messages } from "#messages/findings";

export function ReceiptPanel(props: {
  jobId: string;
  cluster: string;
  state: string; // loads again when it changes
  spec: JobSpec | undefined;
  isRunning: boolean;
  isMine: boolean;
  onStart(spec: JobSpec): void; // fills in the start form
}) {
  const { jobId, cluster, spec, isMine, onStart } = props;
  const { value, reload } = useQuery(
    () => metricsClientOf(cluster).getJobReceipt({ jobId }),
    `${jobId} ${props.state}`,
  );
  const live = useLiveFindings(
    { id: jobId, cluster, isRunning: props.isRunning },
    () => void reload(),
  );
  const receipt = value?.receipt;
  if (!receipt || receipt.used.length === 0) return null;
  const requests = requestRows(receipt);
  const smaller = spec && isMine ? smallerSpec(spec, receipt) : undefined;
  const idleNodes = idleNodesLabel(receipt);
  const energy = energyLabel(receipt.energyJoules);
  return (
    <>
      <Panel title={messages.advice} testId="job-findings">
        <FindingList
          jobId={jobId}
          cluster={cluster}
          findings={live ?? receipt.findings}
          mayRate={isMine}
          onRated={() => void reload()}
        />
      </Panel>
      <Panel title={messages.receipt} testId="job-receipt">
        <div class="table-box" tabIndex={0}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{messages.resource}</th>
                <th scope="col">{messages.mean}</th>
                <th scope="col">{messages.mostOfTheTime}</th>
                <th scope="col">{messages.peak}</th>
              </tr>
            </thead>
            <tbody>
              {usedRows(receipt.used).map((row) => (
                <tr key={row.label}>
                  <th scope="row">{row.label}</th>
                  <td>{row.mean}</td>
                  <td>{row.mostly}</td>
                  <td>{row.peak}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {energy && (
          <p class="muted small">
            {messages.energy}: {energy}
          </p>
        )}
        <ScoreTable receipt={receipt} />
        {requests.length > 0 && (
          <div class="table-box" tabIndex={0}>
            <table class="table" data-testid="receipt-request">
              <thead>
                <tr>
                  <th scope="col">{messages.resource}</th>
                  <th scope="col">{messages.asked}</th>
                  <th scope="col">{messages.enough}</th>
                </tr>
              </thead>
              <tbody>
                {requests.map((row) => (
                  <tr key={row.label}>
                    <th scope="row">{row.label}</th>
                    <td>{row.asked}</td>
                    <td>
                      {row.isLess ? <strong>{row.enough}</strong> : row.enough}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        {idleNodes && (
          <p class="muted small" data-testid="receipt-idle-nodes">
            {idleNodes}
          </p>
        )}
        {smaller && (
          <button
            class="button button-small receipt-start"
            type="button"
            data-testid="start-with-enough"
            onClick={() => onStart(smaller)}
          >
            <Icon name="play" /> {messages.startWithEnough}
          </button>
        )}
      </Panel>
    </>
  );
}
