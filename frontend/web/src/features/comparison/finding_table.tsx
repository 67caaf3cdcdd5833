// What rules found, a column for each job.
import { TableBox } from "../../ui/table_box";
import type { ComparedJob } from "./compared_job";
import type { ComparedFinding } from "./finding_rows";
import { JobHeads } from "./job_heads";
import { messages } from "#messages/comparison";

export function FindingTable(props: {
  jobs: readonly ComparedJob[];
  findings: readonly ComparedFinding[];
}) {
  const { jobs, findings } = props;
  if (findings.length === 0) {
    const isKnown = jobs.some(({ receipt }) => receipt);
    return (
      <p class="muted" data-testid="comparison-no-findings">
        {isKnown ? messages.noFindings : messages.notKnown}
      </p>
    );
  }
  return (
    <TableBox label={messages.findings}>
      <table class="table comparison-table" data-jobs={jobs.length}>
        <thead>
          <tr>
            <th scope="col">
              <span class="sr-only">{messages.value}</span>
            </th>
            <JobHeads jobs={jobs} />
          </tr>
        </thead>
        <tbody>
          {findings.map(({ rule, title, cells }) => (
            <tr key={rule} data-testid={`compared-${rule}`}>
              <th scope="row">{title}</th>
              {cells.map(({ text, tone }, at) => (
                <td key={jobs[at]!.job.id}>
                  {tone ? (
                    <span class={`tag tag-${tone}`}>{text}</span>
                  ) : (
                    <span class="muted">{text || messages.notKnown}</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}
