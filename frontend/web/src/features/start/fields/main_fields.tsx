// The most common fields.
import type { GetClusterResponse, GpuType } from "#proto/cluster";
import type { Template, TemplateSettings } from "#proto/template";
import type { Job } from "#proto/jobs";
import { parseMinutes } from "../../../lib/format/duration";
import { formatMoment } from "../../../lib/format/moment";
import { useNow } from "../../../ui/use_now";
import { useProjects } from "../../projects/projects_context";
import { AppChoice } from "./app_choice";
import { BatchFields } from "./batch_fields";
import { isBatchForm } from "../form/batch_form";
import type { ValidationErrors } from "../form/validation_errors";
import { CountInput } from "./count_input";
import { EnvironmentChoice } from "./environment_choice";
import { Field } from "./field";
import { PendingImageNote } from "./pending_image_note";
import { ProjectChoice } from "./project_choice";
import { ReservationChoice } from "./reservation_choice";
import {
  type FieldName,
  imagesOf,
  pendingImagesOf,
  startableApps,
  type StartForm,
} from "../form/start_form";
import {
  boundingTemplate,
  fitTo,
  longestWalltime,
  maxOf,
} from "../form/template_bounds";
import { TemplateChoice } from "./template_choice";
import { useEnvironments } from "../use_environments";
import { WalltimeInput } from "./walltime_input";
import { messages } from "#messages/start";

export interface FieldsProps {
  form: StartForm;
  cluster: GetClusterResponse;
  validationErrors: ValidationErrors;
  templates: readonly Template[]; // templates that the user may use
  awaited: boolean; // not loaded yet
  bound: TemplateSettings | undefined; // the template that limits the fields
  left: GetClusterResponse; // the cluster limited by the template
  taken: string; // the template that the server uses
  preview?: boolean; // of another user: shows nothing of the caller's own
  onField(name: FieldName, value: string): void;
}

export function MainFields(props: FieldsProps & { jobs: readonly Job[] }) {
  const { form, cluster, validationErrors, templates, bound, left, onField } =
    props;
  const { jobs } = props;
  // Adjusts the other fields to the selected template.
  const choose = (project: string, template: string) => {
    const next = { ...form, project, template };
    onField("project", project);
    onField("template", template);
    const changes = fitTo(next, boundingTemplate(next, templates), cluster);
    for (const [name, value] of changes) onField(name, value);
  };
  const limit = Number(cluster.limits?.maxWalltime?.seconds ?? 0n) / 60;
  return (
    <>
      {isBatchForm(form) ? (
        <BatchFields {...{ form, validationErrors, jobs, onField }} />
      ) : (
        <AppChoice
          apps={startableApps(form, cluster)}
          chosen={form.app}
          validationErrors={validationErrors.app}
          onChoose={(id) => onField("app", id)}
        />
      )}
      <EnvironmentChoice
        names={useEnvironments()}
        images={imagesOf(form, left)}
        environment={form.environment}
        image={form.image}
        manages={!props.preview}
        validationErrors={
          validationErrors.environment ?? validationErrors.image
        }
        onField={onField}
      />
      {!form.environment && (
        <PendingImageNote
          pending={pendingImagesOf(form, left)}
          images={imagesOf(form, left)}
        />
      )}
      <ProjectChoice
        projects={useProjects()}
        chosen={form.project}
        waits={props.awaited}
        validationErrors={validationErrors.project}
        onChoose={(id) => choose(id, "")}
      />
      <TemplateChoice
        templates={templates}
        project={form.project}
        chosen={form.template}
        taken={props.taken}
        validationErrors={validationErrors.template}
        onChoose={(id) => choose(form.project, id)}
      />
      <ReservationChoice
        chosen={form.reservation}
        validationErrors={validationErrors.reservation}
        onChoose={(name) => onField("reservation", name)}
      />
      <div class="size-fields">
        <Field
          name="gpuType"
          label={messages.gpuType}
          validationErrors={validationErrors.gpuType}
        >
          {(input) => (
            <select
              {...input}
              value={form.gpuType}
              onChange={(event) =>
                onField("gpuType", event.currentTarget.value)
              }
            >
              <option value="">{anyType(bound)}</option>
              {form.gpuType &&
                !left.gpuTypes.some(({ type }) => type === form.gpuType) && (
                  <option value={form.gpuType}>{form.gpuType}</option>
                )}
              {left.gpuTypes.map((gpu) => (
                <option key={gpu.type} value={gpu.type}>
                  {gpuOption(gpu)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          name="gpusPerNode"
          label={messages.gpusPerNode}
          validationErrors={validationErrors.gpusPerNode}
        >
          {(input) => (
            <CountInput
              input={input}
              label={messages.gpusPerNode}
              least={0}
              max={maxOf("gpusPerNode", form, bound)}
              value={form.gpusPerNode}
              onValue={(value) => onField("gpusPerNode", value)}
            />
          )}
        </Field>
        <Field
          name="nodes"
          label={messages.nodes}
          validationErrors={validationErrors.nodes}
        >
          {(input) => (
            <CountInput
              input={input}
              label={messages.nodesLabel}
              least={1}
              max={maxOf("nodes", form, bound)}
              value={form.nodes}
              onValue={(value) => onField("nodes", value)}
            />
          )}
        </Field>
      </div>
      <Field
        name="walltime"
        label={messages.walltime}
        validationErrors={validationErrors.walltime}
        side={<EndOfWalltime form={form} />}
      >
        {(input) => (
          <WalltimeInput
            input={input}
            limitMinutes={longestWalltime(limit, bound)}
            value={form.walltime}
            onValue={(value) => onField("walltime", value)}
          />
        )}
      </Field>
    </>
  );
}

// When the job would end if it started now.
function EndOfWalltime({ form }: { form: StartForm }) {
  const now = useNow(60_000);
  const minutes = parseMinutes(form.walltime);
  if (minutes === undefined || form.startAt) return null;
  return (
    <span class="muted">
      {messages.endsIfStartedNow({
        moment: formatMoment(now + minutes * 60_000, now),
      })}
    </span>
  );
}

// The first type of the template is the default.
function anyType(bound: TemplateSettings | undefined): string {
  const type = bound?.gpuTypes[0];
  return type ? messages.defaultType({ type }) : messages.anyType;
}

function gpuOption({ type, free, total }: GpuType): string {
  return messages.freeGpus({ type, free, total });
}
