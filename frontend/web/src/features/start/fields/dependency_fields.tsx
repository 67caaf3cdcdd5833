// The jobs that a batch job depends on, and the required outcomes.
import type { Job } from "#proto/jobs";
import { isLive } from "../../jobs/job_list_state";
import { Icon } from "../../../ui/icon";
import {
  type Dependency,
  dependenciesOf,
  dependenciesText,
  kDependencyLabels,
} from "../form/batch_form";
import type { ValidationError } from "../form/validation_errors";
import { ValidationErrorList } from "./field";
import { messages } from "#messages/start";

export function DependencyFields(props: {
  jobs: readonly Job[];
  text: string;
  validationErrors: readonly ValidationError[] | undefined;
  onText(text: string): void;
}) {
  const { jobs, text, validationErrors, onText } = props;
  const rows = dependenciesOf(text);
  const live = jobs.filter(isLive);
  const next = live.find(({ id }) => !rows.some(({ job }) => job === id));
  if (rows.length === 0 && !next && !validationErrors) return null;
  const change = (at: number, row: Dependency | undefined) =>
    onText(
      dependenciesText(
        rows.flatMap((old, i) => (i === at ? (row ? [row] : []) : [old])),
      ),
    );
  return (
    <fieldset class="field awaited" data-testid="field-dependencies">
      <legend>{messages.startsAfter}</legend>
      {rows.map((row, i) => (
        <div key={`${row.job}${i}`} class="awaited-row">
          <select
            aria-label={messages.job}
            data-testid="dependency-job"
            value={row.job}
            onChange={({ currentTarget: { value } }) =>
              change(i, { ...row, job: value })
            }
          >
            {!live.some(({ id }) => id === row.job) && (
              <option value={row.job}>{nameOf(jobs, row.job)}</option>
            )}
            {live.map((job) => (
              <option key={job.id} value={job.id}>
                {nameOf(jobs, job.id)}
              </option>
            ))}
          </select>
          <select
            aria-label={messages.condition}
            data-testid="dependency-kind"
            value={String(row.kind)}
            onChange={({ currentTarget: { value } }) =>
              change(i, { ...row, kind: Number(value) })
            }
          >
            {kDependencyLabels.map(([kind, text]) => (
              <option key={kind} value={String(kind)}>
                {text}
              </option>
            ))}
          </select>
          <button
            class="button button-small"
            type="button"
            aria-label={messages.removeDependency}
            onClick={() => change(i, undefined)}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      {next && (
        <button
          class="button button-small"
          type="button"
          data-testid="dependency-add"
          onClick={() =>
            onText(dependenciesText([...rows, { job: next.id, kind: 1 }]))
          }
        >
          <Icon name="plus" /> {messages.addDependency}
        </button>
      )}
      <ValidationErrorList
        place="dependencies"
        validationErrors={validationErrors}
      />
    </fieldset>
  );
}

function nameOf(jobs: readonly Job[], id: string): string {
  const job = jobs.find((one) => one.id === id);
  if (!job) return id;
  const name = job.spec?.name || id;
  return job.slurmJobId > 0
    ? messages.jobWithSlurmId({ name, id: job.slurmJobId })
    : name;
}
