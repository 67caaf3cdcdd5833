// The values of the jobs, with differences to the first one.
import { TableBox } from "../../ui/table_box";
import type { ComparedJob } from "./compared_job";
import type { Cell, ComparisonGroup } from "./comparison_rows";
import type { Difference } from "./difference";
import { JobHeads } from "./job_heads";
import { messages } from "#messages/comparison";

export function ComparisonTable(props: {
  jobs: readonly ComparedJob[];
  groups: readonly ComparisonGroup[];
}) {
  const { jobs, groups } = props;
  return (
    <div>
      <TableBox label={messages.comparisonOf}>
        <table
          class="table comparison-table"
          data-jobs={jobs.length}
          data-testid="comparison-table"
        >
          <thead>
            <tr>
              <th scope="col">
                <span class="sr-only">{messages.value}</span>
              </th>
              <JobHeads jobs={jobs} />
            </tr>
          </thead>
          {groups.map(({ id, title, rows }) => (
            <tbody key={id}>
              <tr class="comparison-group">
                <th scope="rowgroup" colSpan={jobs.length + 1}>
                  {title}
                </th>
              </tr>
              {rows.map((row) => (
                <tr key={row.id} data-testid={`row-${row.id}`}>
                  <th scope="row">{row.label}</th>
                  {row.cells.map((cell, at) => (
                    <ValueCell
                      key={jobs[at]!.job.id}
                      cell={cell}
                      isCode={row.isCode}
                    />
                  ))}
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </TableBox>
      <p class="muted small">
        {messages.differencesAreTo({ letter: jobs[0]!.letter })}
      </p>
    </div>
  );
}

function ValueCell({ cell, isCode }: { cell: Cell; isCode: boolean }) {
  const { text, difference } = cell;
  return (
    <td>
      {text === "" ? (
        <span class="muted">{messages.notKnown}</span>
      ) : isCode ? (
        <pre>{text}</pre>
      ) : (
        <span data-testid="comparison-value">{text}</span>
      )}
      {difference && " "}
      {difference && <DifferenceNote difference={difference} />}
    </td>
  );
}

function DifferenceNote({ difference }: { difference: Difference }) {
  const { text, verdict } = difference;
  return (
    <span
      class="small comparison-difference"
      data-testid="comparison-difference"
      data-verdict={verdict}
    >
      {text}
      {verdict && ` · ${messages[verdict]}`}
    </span>
  );
}
