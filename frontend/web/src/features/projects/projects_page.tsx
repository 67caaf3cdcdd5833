// The user's projects, joining and requesting projects, and all projects for
// administrators.
import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import { projectClient } from "../../api/project";
import { PageTitle } from "../../routes/page_title";
import { hrefOf, type Route } from "../../routes/route";
import { mayAdminister } from "../../session/roles";
import { useSession } from "../../session/session_context";
import { useQuery } from "../../session/use_query";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { JoinForm } from "./join_form";
import { ProjectForm } from "./project_form";
import { ProjectPage } from "./project_page";
import { projectHref } from "./project_href";
import { ProjectRows } from "./project_rows";
import { ownProjects, projectsToDecide } from "./project_labels";
import type { ProjectList } from "./projects_context";
import "../../styles/account.css";
import "../../styles/projects.css";
import { messages } from "#messages/projects";

export function ProjectsPage(props: { route: Route; list: ProjectList }) {
  const { route, list } = props;
  const confirm = useConfirmation();
  const id = new URLSearchParams(route.query).get("project");
  // Some actions remove the user from the project.
  const done = (what: string, gone: boolean) => {
    confirm(what);
    if (gone) location.hash = hrefOf("projects");
    void list.reload();
  };
  return (
    <div class="projects">
      {id ? (
        <ProjectPage
          key={id}
          id={id}
          classifications={list.value?.classifications ?? []}
          onDone={done}
        />
      ) : (
        <Overview list={list} onDone={done} />
      )}
    </div>
  );
}

function Overview(props: {
  list: ProjectList;
  onDone(what: string, gone: boolean): void;
}) {
  const { list, onDone } = props;
  const { session } = useSession();
  const [form, setForm] = useState<"new" | "join">();
  const close = () => setForm(undefined);
  const open = ({ id }: Project) => {
    location.hash = projectHref(id);
  };
  return (
    <>
      <PageTitle text={messages.projects} />
      <Panel
        title={messages.yourProjects}
        about={messages.projectsGroupUsersWhoWork}
        testId="own-projects"
        actions={
          list.value &&
          !form && (
            <>
              <button
                class="button button-small"
                type="button"
                data-testid="project-join"
                onClick={() => setForm("join")}
              >
                <Icon name="key" /> {messages.joinProject}
              </button>
              <button
                class="button button-small"
                type="button"
                data-testid="project-new"
                onClick={() => setForm("new")}
              >
                <Icon name="plus" /> {messages.newProject}
              </button>
            </>
          )
        }
      >
        <QueryView loaded={list}>
          {({ projects, classifications }) => (
            <>
              {form === "new" && (
                <ProjectForm
                  project={undefined}
                  classifications={classifications}
                  onDone={(what, made) => {
                    close();
                    onDone(what, false);
                    open(made);
                  }}
                  close={close}
                />
              )}
              {form === "join" && (
                <JoinForm
                  onDone={(what, asked) => {
                    close();
                    onDone(what, false);
                    open(asked);
                  }}
                  close={close}
                />
              )}
              {!form && (
                <ProjectRows
                  projects={ownProjects(projects)}
                  none={messages.youAreNotInA}
                />
              )}
            </>
          )}
        </QueryView>
      </Panel>
      <RequestedProjects
        projects={projectsToDecide(list.value?.projects ?? [])}
      />
      {mayAdminister(session) && <AllProjects epoch={list.value} />}
    </>
  );
}

// Requests of other users, for site managers.
function RequestedProjects(props: { projects: readonly Project[] }) {
  if (props.projects.length === 0) return null;
  return (
    <Panel
      title={messages.requestedProjects}
      about={messages.openARequestToApprove}
      testId="requested-projects"
    >
      <ProjectRows projects={props.projects} none="" />
    </Panel>
  );
}

// All projects, for administrators.
function AllProjects({ epoch }: { epoch: unknown }) {
  const loaded = useQuery(
    () => projectClient.listProjects({ all: true }),
    epoch ? "again" : "",
  );
  return (
    <Panel title={messages.allProjects} testId="all-projects">
      <QueryView loaded={loaded}>
        {({ projects }) => (
          <ProjectRows projects={projects} none={messages.noProjects} />
        )}
      </QueryView>
    </Panel>
  );
}
