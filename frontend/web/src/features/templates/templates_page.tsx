// All templates. Administrators change them; support sees them read-only.
import { useState } from "preact/hooks";
import { projectClient } from "../../api/project";
import { templateClient } from "../../api/template";
import { PageTitle } from "../../routes/page_title";
import { userPreviewHref } from "../../routes/route";
import { mayChange } from "../../session/roles";
import { useSession } from "../../session/session_context";
import { useQuery } from "../../session/use_query";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { ImportPanel } from "./import_panel";
import { TemplateForm } from "./template_form";
import { TemplateRow } from "./template_row";
import "../../styles/templates.css";
import { messages } from "#messages/templates";
import { messages as preview } from "#messages/user_preview";

export function TemplatesPage() {
  const { session } = useSession();
  const changes = mayChange(session);
  const loaded = useQuery(() => templateClient.listTemplates({ all: true }));
  const projects = useQuery(() => projectClient.listProjects({ all: true }));
  const [open, setOpen] = useState<"new" | "import">();
  const confirm = useConfirmation();
  const done = (what: string) => {
    confirm(what);
    void loaded.reload();
  };
  return (
    <>
      <PageTitle text={messages.templates} />
      {open === "import" && (
        <ImportPanel onDone={done} close={() => setOpen(undefined)} />
      )}
      <Panel
        title={messages.jobTemplates}
        about={messages.templatesRestrictWhatAProject}
        testId="templates"
        actions={
          changes &&
          !open && (
            <>
              <button
                class="button button-small"
                type="button"
                data-testid="template-new"
                onClick={() => setOpen("new")}
              >
                <Icon name="plus" /> {messages.newTemplate}
              </button>
              <button
                class="button button-small"
                type="button"
                data-testid="template-import-open"
                onClick={() => setOpen("import")}
              >
                <Icon name="download" /> {messages.importFromSlurm}
              </button>
              <a
                class="button button-small"
                href={userPreviewHref()}
                data-testid="user-preview"
              >
                {preview.previewAsAUser}
              </a>
            </>
          )
        }
      >
        {open === "new" && (
          <TemplateForm
            template={undefined}
            onDone={(what) => {
              setOpen(undefined);
              done(what);
            }}
            close={() => setOpen(undefined)}
          />
        )}
        <QueryView loaded={loaded}>
          {({ templates }) =>
            templates.length === 0 ? (
              <p class="muted">{messages.noTemplatesRoleLimitsApply}</p>
            ) : (
              <ul class="rows">
                {templates.map((template) => (
                  <TemplateRow
                    key={template.id}
                    template={template}
                    projects={projects.value?.projects ?? []}
                    changes={changes}
                    onDone={done}
                  />
                ))}
              </ul>
            )
          }
        </QueryView>
      </Panel>
    </>
  );
}
