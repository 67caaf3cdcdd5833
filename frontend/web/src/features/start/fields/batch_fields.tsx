// The fields of a batch job: program, array, dependencies, output.
import type { Job } from "#proto/jobs";
import { AwaitedJobs } from "./dependency_fields";
import { type BatchField, kScript } from "../form/batch_form";
import type { ValidationErrors } from "../form/validation_errors";
import { Field } from "./field";
import type { FieldName, StartForm } from "../form/start_form";

interface Props {
  form: StartForm;
  validationErrors: ValidationErrors;
  jobs: readonly Job[]; // of the user
  onField(name: FieldName, value: string): void;
}

export function BatchFields(props: Props) {
  const { form, validationErrors, jobs, onField } = props;
  const byScript = form.program === kScript;
  return (
    <>
      <Field
        name="program"
        label="Runs"
        validationErrors={validationErrors.program}
      >
        {(input) => (
          <select
            {...input}
            value={form.program}
            onChange={(event) => onField("program", event.currentTarget.value)}
          >
            <option value="">Command</option>
            <option value={kScript}>Script on the cluster</option>
          </select>
        )}
      </Field>
      {byScript ? (
        <>
          <Text
            {...props}
            name="script"
            label="Script"
            placeholder="~/project/run.sh"
            hint="Read when the job starts. The first line “#!…” selects the interpreter."
          />
          <Lines
            {...props}
            name="arguments"
            label="Arguments, one per line"
            placeholder=""
          />
        </>
      ) : (
        <Lines
          {...props}
          name="command"
          label="Command"
          placeholder="python3 train.py --epochs 3"
        />
      )}
      <Text
        {...props}
        name="array"
        label="Array"
        placeholder="0-9%4"
        hint="One task for each index in $SLURM_ARRAY_TASK_ID. “%4”: at most 4 tasks at once."
      />
      <AwaitedJobs
        jobs={jobs}
        text={form.dependencies}
        validationErrors={validationErrors.dependencies}
        onText={(text) => onField("dependencies", text)}
      />
      <Text
        {...props}
        name="output"
        label="Output file"
        placeholder="results/%A_%a.out"
        hint="In addition to the job log. %j: Slurm job ID, %A: array job ID, %a: index."
      />
      <Text
        {...props}
        name="error"
        label="Error file"
        placeholder="same as output file"
      />
      <Text
        {...props}
        name="workingDirectory"
        label="Working directory"
        placeholder="~"
      />
    </>
  );
}

type TextProps = Props & {
  name: BatchField;
  label: string;
  placeholder: string;
  hint?: string;
};

function Text(props: TextProps) {
  const { form, validationErrors, onField, name, label, placeholder, hint } =
    props;
  return (
    <Field name={name} label={label} validationErrors={validationErrors[name]}>
      {(input) => (
        <>
          <input
            {...input}
            class="mono"
            autocomplete="off"
            spellcheck={false}
            maxLength={1024}
            value={form[name]}
            placeholder={placeholder}
            onInput={(event) => onField(name, event.currentTarget.value)}
          />
          {hint && <p class="hint">{hint}</p>}
        </>
      )}
    </Field>
  );
}

function Lines(props: TextProps) {
  const { form, validationErrors, onField, name, label, placeholder } = props;
  return (
    <Field name={name} label={label} validationErrors={validationErrors[name]}>
      {(input) => (
        <textarea
          {...input}
          class="mono stage-lines"
          rows={3}
          spellcheck={false}
          maxLength={16384}
          value={form[name]}
          placeholder={placeholder}
          onInput={(event) => onField(name, event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
