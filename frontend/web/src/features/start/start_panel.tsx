// The start form. The server validates it while it is filled in.
import { useRef, useState } from "preact/hooks";
import type { GetClusterResponse } from "#proto/cluster";
import type { Job } from "#proto/jobs";
import type { ListPresetsResponse } from "#proto/preset";
import { useClusterChoice } from "../../session/cluster_context";
import type { Query } from "../../session/use_query";
import { ClusterSelect } from "../../session/cluster_select";
import { Icon } from "../../ui/icon";
import {
  validationErrorsOf,
  firstPlace,
  type Place,
  visibleErrors,
} from "./form/validation_errors";
import { ValidationErrorList } from "./fields/field";
import { StartEstimateLine } from "./start_estimate_line";
import { fieldsOf } from "./form/start_estimate_labels";
import { KindChoice } from "./fields/kind_choice";
import { FormTools } from "./form_tools";
import { LinkNote } from "./link_note";
import { type FieldsProps, MainFields } from "./fields/main_fields";
import { MoreFields } from "./fields/more_fields";
import {
  blankForm,
  type FieldName,
  formToSpec,
  type StartForm,
} from "./form/start_form";
import { isBatchForm } from "./form/batch_form";
import { StartSummary } from "./start_summary";
import { boundedCluster, boundingTemplate } from "./form/template_bounds";
import { usePreview } from "./use_preview";
import { useSubmit } from "./use_submit";
import { useTemplates } from "./use_templates";
import { messages } from "#messages/start";

export function StartPanel(props: {
  cluster: GetClusterResponse;
  form: StartForm;
  // The errors of a link that filled in the form; undefined: no link.
  linked: readonly string[] | undefined;
  jobs: readonly Job[]; // of the user, as possible dependencies
  hasJobs: boolean; // false: they are being loaded
  presets: Query<ListPresetsResponse>;
  onField(name: FieldName, value: string): void;
  onForm(form: StartForm): void;
  onLinkSeen(): void;
  onStarted(job: Job): void;
}) {
  const { cluster, form, jobs, linked, onField, onForm, onLinkSeen } = props;
  const element = useRef<HTMLFormElement>(null);
  const [baseline, setBaseline] = useState(form);
  const [attempted, setAttempted] = useState(false);
  const { busy, submit } = useSubmit((job) => {
    // The form is done: what was just started must not turn it red.
    const blank = blankForm(cluster);
    onForm(blank);
    setBaseline(blank);
    setAttempted(false);
    props.onStarted(job);
  });
  const { templates, awaited } = useTemplates();
  const bound = boundingTemplate(form, templates);

  const preview = usePreview(form, jobs, props.hasJobs);
  const { spec, parseErrors } = formToSpec(form);
  const violations = preview?.answer.violations ?? [];
  const problems = validationErrorsOf(parseErrors, violations);
  const validationErrors = visibleErrors(parseErrors, violations, {
    form,
    baseline,
    attempted,
    linked: linked !== undefined,
  });
  // A result for an older form must not block a corrected one.
  const current = preview?.form === form || parseErrors.length > 0;
  const blocked = current ? firstPlace(problems) : undefined;
  const problem = blocked && problems[blocked]?.[0];
  const fields: FieldsProps = {
    form,
    cluster,
    validationErrors,
    templates,
    awaited,
    bound,
    left: boundedCluster(cluster, bound),
    taken: preview?.answer.spec?.template ?? "",
    onField,
  };

  const onSubmit = (event: Event) => {
    event.preventDefault();
    setAttempted(true);
    if (blocked) focusOn(element.current, blocked);
    else void submit(spec);
  };

  return (
    <section
      class="start"
      id="start"
      tabIndex={-1}
      aria-labelledby="start-title"
    >
      {linked && <LinkNote validationErrors={linked} onSeen={onLinkSeen} />}
      <form
        ref={element}
        data-testid="start-form"
        noValidate
        onSubmit={onSubmit}
      >
        <header class="start-head">
          <h2 id="start-title">{messages.newJob}</h2>
          <KindChoice
            chosen={form.kind}
            onChoose={(kind) => onField("kind", kind)}
          />
        </header>
        <div class="start-body">
          <div class="fields">
            <ClusterField />
            <MainFields {...fields} jobs={jobs} />
          </div>
          <MoreFields
            {...fields}
            defaults={
              preview?.form.kind === form.kind ? preview.answer.spec : undefined
            }
          />
        </div>
        <div class="start-foot">
          <ValidationErrorList
            place="form"
            validationErrors={validationErrors.form}
          />
          <StartSummary
            spec={preview?.answer.spec}
            problem={
              blocked &&
              problem && {
                place: blocked,
                message: problem.message,
                isVisible: validationErrors[blocked] !== undefined,
              }
            }
            onShow={(place) => focusOn(element.current, place)}
          />
          {!blocked && (
            <StartEstimateLine
              estimate={preview?.answer.startEstimate}
              stale={preview?.form !== form}
              onTake={(instead) => {
                for (const [name, value] of fieldsOf(instead)) {
                  onField(name, value);
                }
              }}
            />
          )}
          <button
            class="button button-primary button-wide"
            type="submit"
            data-testid="start-submit"
            aria-disabled={busy || blocked !== undefined}
          >
            <Icon name="play" />{" "}
            {busy ? messages.starting : startLabel(form, cluster)}
          </button>
        </div>
      </form>
      <FormTools form={form} presets={props.presets} onForm={onForm} />
    </section>
  );
}

function startLabel(form: StartForm, { apps }: GetClusterResponse): string {
  if (isBatchForm(form)) return messages.startBatchJob;
  const app = apps.find(({ id }) => id === form.app);
  return app ? messages.startApp({ app: app.name }) : messages.startLabel;
}

function ClusterField() {
  const { names } = useClusterChoice();
  if (names.length === 0) return null;
  return (
    <div class="field">
      <label for="start-cluster">{messages.cluster}</label>
      <ClusterSelect id="start-cluster" />
    </div>
  );
}

function focusOn(form: HTMLFormElement | null, place: Place): void {
  // The image is part of the choice of the environment.
  const field = place === "image" ? "environment" : place;
  form?.querySelector<HTMLElement>(`#field-${field}`)?.focus();
}
