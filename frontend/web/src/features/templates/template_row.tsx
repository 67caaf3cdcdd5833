import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import type { Template } from "#proto/template";
import { templateClient } from "../../api/template";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { Icon } from "../../ui/icon";
import { DraftPreviewDialog } from "../user_preview/draft_preview";
import { TemplateForm } from "./template_form";
import { TemplateProjects } from "./template_projects";
import { audienceLabel, templateLabel } from "./template_labels";
import { messages } from "#messages/templates";
import { messages as previewMessages } from "#messages/user_preview";

export function TemplateRow(props: {
  template: Template;
  projects: readonly Project[];
  changes: boolean; // whether to show buttons
  onDone(what: string): void;
}) {
  const { template, projects, changes, onDone } = props;
  const { id, retired, settings } = template;
  const [open, setOpen] = useState<"settings" | "projects">();
  const [asked, setAsked] = useState(false);
  const [previews, setPreviews] = useState(false);
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const name = settings?.name ?? "";
  const label = settings ? templateLabel(settings) : [];

  const retire = () =>
    mutation.run(async () => {
      const request = { templateId: id };
      await withReauthentication<unknown>(() =>
        retired
          ? templateClient.reactivateTemplate(request)
          : templateClient.retireTemplate(request),
      );
      setAsked(false);
      onDone(
        retired
          ? messages.templateReactivated({ name })
          : messages.templateRetired({ name }),
      );
    });
  const close = () => {
    setAsked(false);
    mutation.clearFailure();
  };
  return (
    <li class="row" data-testid={`template-${id}`} data-name={name}>
      <Icon name="list" />
      <div class="row-what">
        <p class="row-title">
          {name}{" "}
          <span class="state" data-tone={retired ? "neutral" : "good"}>
            {retired ? messages.retired : messages.active}
          </span>
        </p>
        {settings?.description && <p>{settings.description}</p>}
        <p class="muted small" data-testid="template-label">
          {label.length > 0 ? label.join(" · ") : messages.noLimits}
        </p>
        <p class="muted small">{audienceLabel(template)}</p>
        {open === "settings" && (
          <TemplateForm
            template={template}
            onDone={(what) => {
              setOpen(undefined);
              onDone(what);
            }}
            close={() => setOpen(undefined)}
          />
        )}
        {open === "projects" && (
          <TemplateProjects {...{ template, projects, onDone }} />
        )}
      </div>
      {changes && (
        <div class="button-row">
          <button
            class="button button-small"
            type="button"
            data-testid={`template-change-${id}`}
            onClick={() =>
              setOpen(open === "settings" ? undefined : "settings")
            }
          >
            {messages.change}
          </button>
          <button
            class="button button-small"
            type="button"
            data-testid={`template-who-${id}`}
            aria-expanded={open === "projects"}
            onClick={() =>
              setOpen(open === "projects" ? undefined : "projects")
            }
          >
            {messages.projects}
          </button>
          <button
            class="button button-small"
            type="button"
            data-testid={`template-retire-${id}`}
            onClick={() => setAsked(true)}
          >
            {retired ? messages.reactivate : messages.retire}
          </button>
        </div>
      )}
      {asked && (
        <ConfirmDialog
          title={
            retired ? messages.reactivateTemplate : messages.retireTemplate
          }
          mutation={mutation}
          confirm={retired ? messages.reactivate : messages.retireLabel}
          onConfirm={() => void retire()}
          close={close}
        >
          <p>
            {retired
              ? messages.itsUsersCanStartJobs
              : messages.newJobsCannotUseIt}
          </p>
          <div class="button-row">
            <button
              class="button button-small"
              type="button"
              data-testid="template-retire-preview"
              onClick={() => setPreviews(true)}
            >
              <Icon name="people" /> {previewMessages.previewAsAUser}
            </button>
          </div>
        </ConfirmDialog>
      )}
      {previews && (
        <DraftPreviewDialog
          title={
            retired
              ? previewMessages.unsavedReactivation({ name })
              : previewMessages.unsavedRetirement({ name })
          }
          drafts={{ templateDraft: { templateId: id, retired: !retired } }}
          close={() => setPreviews(false)}
        />
      )}
    </li>
  );
}
