// Assigns a template to projects and to users without a project.
import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import type { Template } from "#proto/template";
import { templateClient } from "../../api/template";
import { selectable } from "../projects/project_labels";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { DraftPreviewDialog } from "../user_preview/draft_preview";
import { CheckField } from "../../ui/form/field";
import { messages } from "#messages/templates";
import { messages as previewMessages } from "#messages/user_preview";

interface AssignmentChange {
  readonly attach?: string[];
  readonly detach?: string[];
}

export function TemplateProjects(props: {
  template: Template;
  projects: readonly Project[];
  onDone(what: string): void;
}) {
  const { template, projects, onDone } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [chosen, setChosen] = useState("");
  const [detaching, setDetaching] = useState<string>(); // a project
  const [previewed, setPreviewed] = useState<AssignmentChange>();
  const name = (id: string) =>
    projects.find((project) => project.id === id)?.settings?.name ?? id;
  const others = selectable(projects).filter(
    ({ id }) => !template.projects.includes(id),
  );

  const attach = (projectId: string, attached: boolean) =>
    mutation.run(async () => {
      const request = { templateId: template.id, projectId };
      await withReauthentication<unknown>(() =>
        attached
          ? templateClient.attachTemplate(request)
          : templateClient.detachTemplate(request),
      );
      setChosen("");
      setDetaching(undefined);
      const title = template.settings?.name ?? "";
      if (projectId === "") {
        onDone(
          attached
            ? messages.templateAssignedToAll({ template: title })
            : messages.templateRemovedFromAll({ template: title }),
        );
        return;
      }
      onDone(
        attached
          ? messages.templateAssigned({
              template: title,
              project: name(projectId),
            })
          : messages.templateRemoved({
              template: title,
              project: name(projectId),
            }),
      );
    });
  return (
    <div class="template-projects" data-testid="template-projects">
      <CheckField
        testId="template-everybody"
        checked={template.everybody}
        disabled={mutation.busy || (template.retired && !template.everybody)}
        onChecked={(everybody) => void attach("", everybody)}
      >
        {messages.allUsersWithoutAProject}{" "}
        <span class="muted small scope-text">
          {messages.onceTheyHaveATemplate}
        </span>
      </CheckField>
      <ul class="chips">
        {template.projects.map((id) => (
          <li key={id} class="tag">
            {name(id)}{" "}
            <button
              class="link-button"
              type="button"
              data-testid={`template-detach-${id}`}
              aria-disabled={mutation.busy}
              onClick={() => setDetaching(id)}
            >
              {messages.remove}{" "}
              <span class="sr-only">
                {messages.fromProject({ name: name(id) })}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {!template.retired && others.length > 0 && (
        <div class="button-row">
          <select
            aria-label={messages.project}
            data-testid="template-project"
            value={chosen}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            <option value="">{messages.selectProject}</option>
            {others.map(({ id, settings, owner }) => (
              <option key={id} value={id}>
                {settings?.name} ({owner})
              </option>
            ))}
          </select>
          <button
            class="button button-small"
            type="button"
            data-testid="template-attach"
            aria-disabled={mutation.busy || chosen === ""}
            onClick={() => chosen && void attach(chosen, true)}
          >
            {messages.assignToProject}
          </button>
          <button
            class="button button-small"
            type="button"
            data-testid="template-attach-preview"
            aria-disabled={chosen === ""}
            onClick={() => chosen && setPreviewed({ attach: [chosen] })}
          >
            <Icon name="people" /> {previewMessages.previewAsAUser}
          </button>
        </div>
      )}
      {mutation.failure && detaching === undefined && (
        <FailureNote
          failure={mutation.failure}
          testId="template-attach-failure"
        />
      )}
      {detaching !== undefined && (
        <ConfirmDialog
          title={messages.removeTheTemplate}
          mutation={mutation}
          confirm={messages.remove}
          onConfirm={() => void attach(detaching, false)}
          close={() => {
            setDetaching(undefined);
            mutation.clearFailure();
          }}
        >
          <p>{messages.removeTemplateText({ project: name(detaching) })}</p>
          <div class="button-row">
            <button
              class="button button-small"
              type="button"
              data-testid="template-detach-preview"
              onClick={() => setPreviewed({ detach: [detaching] })}
            >
              <Icon name="people" /> {previewMessages.previewAsAUser}
            </button>
          </div>
        </ConfirmDialog>
      )}
      {previewed && (
        <DraftPreviewDialog
          title={previewMessages.unsavedTemplate({
            name: template.settings?.name ?? "",
          })}
          drafts={{ templateDraft: { templateId: template.id, ...previewed } }}
          close={() => setPreviewed(undefined)}
        />
      )}
    </div>
  );
}
