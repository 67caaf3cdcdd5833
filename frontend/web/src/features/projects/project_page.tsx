// One project: settings, members and actions.
import { useState } from "preact/hooks";
import { type Project, ProjectAction } from "#proto/project";
import { projectClient } from "../../api/project";
import { ProjectLimitsPanel } from "../limits/project_limits_panel";
import { PageTitle } from "../../routes/page_title";
import { hrefOf } from "../../routes/route";
import { useQuery } from "../../session/use_query";
import { CopyButton } from "../../ui/copy_button";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { Panel } from "../../ui/panel";
import { MembersPanel } from "./members_panel";
import { ProjectActions } from "./project_actions";
import { ProjectForm } from "./project_form";
import {
  endLabel,
  isMember,
  locationLabel,
  stateLabel,
} from "./project_labels";
import { invitationLink } from "./project_href";
import { TermsForm } from "./terms_form";
import { messages } from "#messages/projects";

export function ProjectPage(props: {
  id: string;
  classifications: readonly string[];
  onDone(what: string, gone: boolean): void;
}) {
  const { id, classifications, onDone } = props;
  const loaded = useQuery(() => projectClient.getProject({ projectId: id }));
  // Absent: the user may no longer see the project.
  const took = (what: string, project: Project | undefined) => {
    if (project) loaded.set({ ...loaded.value!, project });
    onDone(what, project === undefined);
  };
  return (
    <>
      <a class="link-button" href={hrefOf("projects")}>
        <Icon name="back" /> {messages.allProjects}
      </a>
      <PageTitle
        text={loaded.value?.project?.settings?.name ?? messages.project}
      />
      <QueryView loaded={loaded}>
        {({ project }) =>
          project && (
            <>
              <Facts
                project={project}
                classifications={classifications}
                onDone={took}
              />
              {isMember(project.role) && <ProjectLimitsPanel id={id} />}
              <MembersPanel project={project} onDone={took} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

function Facts(props: {
  project: Project;
  classifications: readonly string[];
  onDone(what: string, project: Project | undefined): void;
}) {
  const { project, classifications, onDone } = props;
  const [form, setForm] = useState<"settings" | "terms">();
  const close = () => setForm(undefined);
  const done = (what: string, changed: Project) => {
    close();
    onDone(what, changed);
  };
  const state = stateLabel(project);
  const { may } = project;
  return (
    <Panel
      title={messages.settings}
      testId="project-facts"
      actions={
        !form && (
          <>
            {may.includes(ProjectAction.CHANGE) && (
              <button
                class="button button-small"
                type="button"
                data-testid="project-change"
                onClick={() => setForm("settings")}
              >
                {messages.change}
              </button>
            )}
            {may.includes(ProjectAction.SET_TERMS) && (
              <button
                class="button button-small"
                type="button"
                data-testid="project-terms"
                onClick={() => setForm("terms")}
              >
                {messages.setEndAndAccount}
              </button>
            )}
            <ProjectActions project={project} onDone={onDone} />
          </>
        )
      }
    >
      {form === "settings" && (
        <ProjectForm
          project={project}
          classifications={classifications}
          onDone={done}
          close={close}
        />
      )}
      {form === "terms" && (
        <TermsForm project={project} onDone={done} close={close} />
      )}
      {!form && (
        <>
          <p class="state" data-tone={state.tone} data-testid="project-state">
            {state.text}
          </p>
          {project.settings?.description && (
            <p class="project-description">{project.settings.description}</p>
          )}
          <FactList project={project} />
        </>
      )}
    </Panel>
  );
}

function FactList({ project }: { project: Project }) {
  const { id, owner, settings, account, role } = project;
  const facts: readonly (readonly [string, string])[] = [
    [messages.owner, owner],
    [messages.classification, settings?.classification ?? ""],
    [messages.end, endLabel(project) || messages.noEnd],
    [messages.slurmAccount, account || messages.defaultAccount],
    [messages.yourRole, locationLabel(role).text],
  ];
  return (
    <dl class="project-facts">
      {facts.map(([what, value]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {isMember(role) && (
        <div>
          <dt>{messages.projectIdShareItTo}</dt>
          <dd class="project-id">
            <code data-testid="project-id">{id}</code>
            <CopyButton text={id} label={messages.copy} />
            <CopyButton
              text={invitationLink(id)}
              label={messages.copyInvitationLink}
            />
          </dd>
        </div>
      )}
    </dl>
  );
}
