// Asks for the GPUs or nodes to add to a running job.
import { useRef, useState } from "preact/hooks";
import type { GetClusterResponse } from "#proto/cluster";
import type { Job, JobSpec } from "#proto/jobs";
import { clientsOf } from "../../../api/core";
import { formatMinutes } from "../../../lib/format/duration";
import { sizeLabel } from "../job_labels";
import { useMutation } from "../../../session/use_mutation";
import { validationErrorsOf } from "../../start/form/validation_errors";
import { CountInput } from "../../start/fields/count_input";
import { ValidationErrorList, Field } from "../../start/fields/field";
import { intentFor, type SubmitIntent } from "../../start/form/submit_intent";
import { Dialog } from "../../../ui/dialog";
import { FailureNote } from "../../../ui/failure_note";
import {
  type AddNodesField,
  addNodesForm,
  addNodesSpec,
  placed,
} from "./add_nodes_form";
import { useAddNodesPreview } from "./use_add_nodes_preview";
import { messages } from "#messages/jobs";

const kScope = "add-nodes";

export function AddNodesDialog(props: {
  job: Job;
  cluster: GetClusterResponse;
  epoch: string; // changes with the additional nodes
  onStarted(job: Job): void;
  close(): void;
}) {
  const { job, cluster, onStarted, close } = props;
  const [form, setForm] = useState(() => addNodesForm(cluster));
  const mutation = useMutation();
  const intent = useRef<SubmitIntent>();
  const epoch = `${cluster.version}.${props.epoch}`;
  const preview = useAddNodesPreview(form, job, epoch);
  const { spec, parseErrors } = addNodesSpec(form, job);
  const violations = placed(preview?.answer.violations ?? []);
  const validationErrors = validationErrorsOf(parseErrors, violations);
  const current = preview?.form === form || parseErrors.length > 0;
  const blocked = current && Object.keys(validationErrors).length > 0;
  const name = job.spec?.name ?? job.id;

  const field = (changed: AddNodesField) => ({
    scope: kScope,
    name: changed,
    validationErrors: validationErrors[changed],
  });
  const put = (changed: AddNodesField) => (value: string) =>
    setForm((old) => ({ ...old, [changed]: value }));
  const submit = async (event: Event) => {
    event.preventDefault();
    if (blocked) return;
    intent.current = intentFor(spec, intent.current, () => crypto.randomUUID());
    const idempotencyKey = intent.current.key;
    const done = await mutation.run(async () => {
      const answer = await clientsOf(job.cluster).jobs.submitJob({
        spec,
        idempotencyKey,
      });
      if (answer.job) onStarted(answer.job);
    });
    if (done) close();
  };

  return (
    <Dialog title={messages.addNodesTo({ name })} close={close}>
      <form class="add-nodes-form" noValidate onSubmit={submit}>
        <p>{messages.addsNodesToThisJob}</p>
        <div class="fields">
          <Field {...field("gpuType")} label={messages.gpuType}>
            {(input) => (
              <select
                {...input}
                value={form.gpuType}
                onChange={(event) => put("gpuType")(event.currentTarget.value)}
              >
                <option value="">{messages.anyType}</option>
                {cluster.gpuTypes.map(({ type, free, total }) => (
                  <option key={type} value={type}>
                    {messages.gpuTypeFree({ type, free, total })}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field {...field("gpusPerNode")} label={messages.gpusPerNode}>
            {(input) => (
              <CountInput
                input={input}
                label={messages.gpus}
                least={0}
                value={form.gpusPerNode}
                onValue={put("gpusPerNode")}
              />
            )}
          </Field>
          <Field {...field("nodes")} label={messages.nodes}>
            {(input) => (
              <CountInput
                input={input}
                label={messages.nodesLabel}
                least={1}
                value={form.nodes}
                onValue={put("nodes")}
              />
            )}
          </Field>
          <Field {...field("walltime")} label={messages.walltime}>
            {(input) => (
              <input
                {...input}
                autocomplete="off"
                maxLength={20}
                value={form.walltime}
                placeholder={messages.untilTheJobEnds}
                onInput={(event) => put("walltime")(event.currentTarget.value)}
              />
            )}
          </Field>
        </div>
        <ValidationErrorList
          scope={kScope}
          place="form"
          validationErrors={validationErrors.form}
        />
        {!blocked && <Summary spec={preview?.answer.spec} />}
        {mutation.failure && <FailureNote failure={mutation.failure} />}
        <div class="dialog-actions">
          <button class="button" type="button" onClick={close}>
            {messages.cancel}
          </button>
          <button
            class="button button-primary"
            type="submit"
            data-testid="add-nodes-submit"
            aria-disabled={mutation.busy || blocked}
          >
            {mutation.busy ? messages.adding : messages.addNodes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Summary({ spec }: { spec: JobSpec | undefined }) {
  if (!spec) return <div class="skeleton skeleton-line" aria-hidden="true" />;
  const parts = [
    ...sizeLabel(spec),
    spec.partition,
    spec.walltime && formatMinutes(Number(spec.walltime.seconds) / 60),
  ];
  return (
    <p class="start-summary" data-testid="add-nodes-summary">
      {parts.filter(Boolean).join(" · ")}
    </p>
  );
}
