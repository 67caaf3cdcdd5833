// Shows what an unsaved limit or template would have refused last week.
import type { DryRun } from "#proto/dry_run";
import { useDebounced } from "../../lib/use_debounced";
import { useQuery } from "../../session/use_query";
import { Moment } from "../../ui/moment";
import { TableBox } from "../../ui/table_box";
import { caveats, summaryLabel } from "./dry_run_labels";
import "../../styles/limits.css";
import { messages } from "#messages/dry_run";

export function DryRunPanel(props: {
  draft: string; // changes with the form; empty: there is nothing to check
  about: string;
  check(): Promise<DryRun | undefined>; // of the form as it is now
}) {
  const { about, check } = props;
  const draft = useDebounced(props.draft);
  const { value, failure, loading } = useQuery(
    () => (draft === "" ? Promise.resolve(undefined) : check()),
    draft,
  );
  if (props.draft === "") return null;
  return (
    <section
      class="dry-run"
      aria-label={messages.lastWeek}
      aria-busy={loading || draft !== props.draft}
      data-testid="dry-run"
    >
      <h4>{messages.lastWeek}</h4>
      <p class="hint">{about}</p>
      <p role="status" data-testid="dry-run-summary">
        {failure
          ? messages.cannotCheck({ reason: failure.sentence })
          : value
            ? summaryLabel(value)
            : messages.checking}
      </p>
      {!failure && value && <Details dryRun={value} />}
    </section>
  );
}

function Details({ dryRun }: { dryRun: DryRun }) {
  return (
    <>
      {caveats(dryRun).map((line) => (
        <p key={line} class="hint">
          {line}
        </p>
      ))}
      {dryRun.users.length > 0 && (
        <TableBox label={messages.users}>
          <table class="table" data-testid="dry-run-users">
            <thead>
              <tr>
                <th scope="col">{messages.user}</th>
                <th scope="col">{messages.refused}</th>
                <th scope="col">{messages.submitted}</th>
              </tr>
            </thead>
            <tbody>
              {dryRun.users.map(({ username, refusedJobs, examinedJobs }) => (
                <tr key={username} data-user={username}>
                  <td>{username}</td>
                  <td>{refusedJobs}</td>
                  <td>{examinedJobs}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
      {dryRun.jobs.length > 0 && (
        <>
          <h5>{messages.firstJobs}</h5>
          <ol data-testid="dry-run-jobs">
            {dryRun.jobs.map(({ id, owner, name, submittedAt, violation }) => (
              <li key={id} data-job={id}>
                <span>
                  {messages.jobOf({ name, owner })} <Moment at={submittedAt} />
                </span>
                <span class="muted small">{violation?.message}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}
