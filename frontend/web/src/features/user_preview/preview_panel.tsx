// The start form of another user, with the form's own fields. Nothing is sent:
// it has no button to start, no presets and no link.
import { useState } from "preact/hooks";
import type { GetClusterResponse } from "#proto/cluster";
import type { PreviewStartFormResponse } from "#proto/user_preview";
import { EnvironmentsContext } from "../environments/environments_context";
import { ProjectsContext } from "../projects/projects_context";
import { ReservationsContext } from "../reservations/reservations_context";
import { ValidationErrorList } from "../start/fields/field";
import { KindChoice } from "../start/fields/kind_choice";
import { type FieldsProps, MainFields } from "../start/fields/main_fields";
import { MoreFields } from "../start/fields/more_fields";
import type { FieldName } from "../start/form/start_form";
import {
  boundedCluster,
  boundingTemplate,
} from "../start/form/template_bounds";
import { validationErrorsOf } from "../start/form/validation_errors";
import { StartSummary } from "../start/start_summary";
import {
  changedForm,
  checkOf,
  environmentsOf,
  proposedForm,
} from "./preview_form";
import { messages } from "#messages/user_preview";

export function PreviewPanel(props: {
  preview: PreviewStartFormResponse;
  cluster: GetClusterResponse;
}) {
  const { preview, cluster } = props;
  const { templates, checks, projects, reservations } = preview;
  const offer = { cluster, templates, checks };
  const [form, setForm] = useState(() => proposedForm(offer, "", ""));
  const check = checkOf(offer, form);
  const validationErrors = validationErrorsOf([], check?.violations ?? []);
  const bound = boundingTemplate(form, templates);
  const onField = (name: FieldName, value: string) =>
    setForm((old) => changedForm(offer, old, name, value));
  const fields: FieldsProps = {
    form,
    cluster,
    validationErrors,
    templates,
    awaited: false,
    bound,
    left: boundedCluster(cluster, bound),
    taken: check?.spec?.template ?? "",
    preview: true,
    onField,
  };
  return (
    <ProjectsContext.Provider value={projects}>
      <EnvironmentsContext.Provider value={environmentsOf(preview)}>
        <ReservationsContext.Provider value={reservations}>
          <section
            class="start preview-form"
            aria-labelledby="preview-form-title"
            data-testid="preview-form"
          >
            <header class="start-head">
              <h2 id="preview-form-title">{messages.startForm}</h2>
              <KindChoice
                chosen={form.kind}
                onChoose={(kind) => onField("kind", kind)}
              />
            </header>
            <div class="start-body">
              <div class="fields">
                <MainFields {...fields} jobs={[]} />
              </div>
              <MoreFields {...fields} defaults={check?.spec} />
            </div>
            <div class="start-foot">
              <ValidationErrorList
                place="form"
                validationErrors={validationErrors.form}
              />
              {check ? (
                check.violations.length === 0 && (
                  <StartSummary
                    spec={check.spec}
                    problem={undefined}
                    onShow={() => undefined}
                  />
                )
              ) : (
                <p class="muted" role="status" data-testid="preview-unchecked">
                  {messages.notChecked}{" "}
                  <button
                    class="link-button"
                    type="button"
                    data-testid="preview-reset"
                    onClick={() =>
                      setForm(proposedForm(offer, form.project, form.template))
                    }
                  >
                    {messages.reset}
                  </button>
                </p>
              )}
              <p class="muted" data-testid="preview-no-start">
                {messages.noStartHere}
              </p>
            </div>
          </section>
        </ReservationsContext.Provider>
      </EnvironmentsContext.Provider>
    </ProjectsContext.Provider>
  );
}
