// The fields of a batch job: program, array, dependencies, output.
import type { Job } from "#proto/jobs";
import { DependencyFields } from "./dependency_fields";
import { type BatchField, kScript } from "../form/batch_form";
import type { ValidationErrors } from "../form/validation_errors";
import { Field } from "./field";
import type { FieldName, StartForm } from "../form/start_form";
import { messages } from "#messages/start";

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
        label={messages.runs}
        validationErrors={validationErrors.program}
      >
        {(input) => (
          <select
            {...input}
            value={form.program}
            onChange={(event) => onField("program", event.currentTarget.value)}
          >
            <option value="">{messages.command}</option>
            <option value={kScript}>{messages.scriptOnTheCluster}</option>
          </select>
        )}
      </Field>
      {byScript ? (
        <>
          <Text
            {...props}
            name="script"
            label={messages.script}
            placeholder={messages.exampleScript}
            hint={messages.readWhenTheJobStarts}
          />
          <Lines
            {...props}
            name="arguments"
            label={messages.argumentsOnePerLine}
            placeholder=""
          />
        </>
      ) : (
        <Lines
          {...props}
          name="command"
          label={messages.command}
          placeholder={messages.exampleCommand}
        />
      )}
      <Text
        {...props}
        name="array"
        label={messages.array}
        placeholder={messages.exampleArray}
        hint={messages.oneTaskForEachIndex}
      />
      <DependencyFields
        jobs={jobs}
        text={form.dependencies}
        validationErrors={validationErrors.dependencies}
        onText={(text) => onField("dependencies", text)}
      />
      <Text
        {...props}
        name="output"
        label={messages.outputFile}
        placeholder={messages.exampleOutputFile}
        hint={messages.inAdditionToTheJob}
      />
      <Text
        {...props}
        name="error"
        label={messages.errorFile}
        placeholder={messages.sameAsOutputFile}
      />
      <Text
        {...props}
        name="workingDirectory"
        label={messages.workingDirectory}
        placeholder={messages.exampleWorkingDirectory}
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
