import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import type { Template } from "#proto/template";
import { templateClient } from "../../api/template";
import { useFreshFactor } from "../../session/reauthentication_context";
import { useAct } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { Icon } from "../../ui/icon";
import { TemplateForm } from "./template_form";
import { TemplateProjects } from "./template_projects";
import { audienceWords, templateWords } from "./template_labels";

export function TemplateRow(props: {
  template: Template;
  projects: readonly Project[];
  changes: boolean; // whether there are buttons
  onDone(what: string): void;
}) {
  const { template, projects, changes, onDone } = props;
  const { id, retired, settings } = template;
  const [open, setOpen] = useState<"settings" | "projects">();
  const [asked, setAsked] = useState(false);
  const withFreshFactor = useFreshFactor();
  const act = useAct();
  const name = settings?.name ?? "";
  const words = settings ? templateWords(settings) : [];

  const retire = () =>
    act.run(async () => {
      const request = { templateId: id, retired: !retired };
      await withFreshFactor(() => templateClient.retireTemplate(request));
      setAsked(false);
      onDone(
        `The template ${name} is ${retired ? "in use again" : "retired"}.`,
      );
    });
  const close = () => {
    setAsked(false);
    act.forget();
  };
  return (
    <li class="row" data-test={`template-${id}`} data-name={name}>
      <Icon name="list" />
      <div class="row-what">
        <p class="row-title">
          {name}{" "}
          <span class="state" data-tone={retired ? "quiet" : "good"}>
            {retired ? "retired" : "in use"}
          </span>
        </p>
        {settings?.description && <p>{settings.description}</p>}
        <p class="muted small" data-test="template-words">
          {words.length > 0 ? words.join(" · ") : "no limits of its own"}
        </p>
        <p class="muted small">{audienceWords(template)}</p>
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
            data-test={`template-change-${id}`}
            onClick={() =>
              setOpen(open === "settings" ? undefined : "settings")
            }
          >
            Change
          </button>
          <button
            class="button button-small"
            type="button"
            data-test={`template-who-${id}`}
            aria-expanded={open === "projects"}
            onClick={() =>
              setOpen(open === "projects" ? undefined : "projects")
            }
          >
            Projects
          </button>
          <button
            class="button button-small"
            type="button"
            data-test={`template-retire-${id}`}
            onClick={() => setAsked(true)}
          >
            {retired ? "Use again" : "Retire…"}
          </button>
        </div>
      )}
      {asked && (
        <ConfirmDialog
          title={retired ? "Use it again?" : "Retire the template?"}
          act={act}
          confirm={retired ? "Use it again" : "Retire"}
          onConfirm={() => void retire()}
          close={close}
        >
          <p>
            {retired
              ? "Who has it may start jobs by it again."
              : "No job is started by it any more; those that were go on. Who has no other template starts nothing until you take this one away from them or give them another."}
          </p>
        </ConfirmDialog>
      )}
    </li>
  );
}
