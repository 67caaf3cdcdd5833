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
import { matching, ownProjects, projectsToDecide } from "./project_labels";
import type { ProjectList } from "./projects_context";
import "../../styles/account.css";
import "../../styles/projects.css";
import { messages } from "#messages/projects";

export function ProjectsPage(props: { route: Route; list: ProjectList }) {
  const { route, list } = props;
  const confirm = useConfirmation();
  const query = new URLSearchParams(route.query);
  const id = query.get("project");
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
        <Overview
          list={list}
          join={query.get("join") ?? undefined}
          onDone={done}
        />
      )}
    </div>
  );
}

function Overview(props: {
  list: ProjectList;
  join: string | undefined; // the project of an invitation link
  onDone(what: string, gone: boolean): void;
}) {
  const { list, join, onDone } = props;
  const { session } = useSession();
  const [form, setForm] = useState<"new" | "join" | undefined>(
    join === undefined ? undefined : "join",
  );
  const [search, setSearch] = useState("");
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
                  {...(join !== undefined && { id: join })}
                  onDone={(what, asked) => {
                    close();
                    onDone(what, false);
                    open(asked);
                  }}
                  close={close}
                />
              )}
              <ProjectSearch
                shown={projects.length >= kSearchFrom}
                value={search}
                onSearch={setSearch}
              />
              <ProjectRows
                projects={matching(ownProjects(projects), search)}
                none={search ? messages.noProjects : messages.youAreNotInA}
              />
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

// Shorter lists need no search.
const kSearchFrom = 6;

function ProjectSearch(props: {
  shown: boolean;
  value: string;
  onSearch(value: string): void;
}) {
  if (!props.shown) return null;
  return (
    <label class="search">
      <Icon name="search" />
      <span class="sr-only">{messages.searchProjects}</span>
      <input
        type="search"
        data-testid="project-search"
        placeholder={messages.searchProjects}
        autocomplete="off"
        spellcheck={false}
        value={props.value}
        onInput={(event) => props.onSearch(event.currentTarget.value)}
      />
    </label>
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
  const [search, setSearch] = useState("");
  const loaded = useQuery(
    () => projectClient.listProjects({ all: true }),
    epoch ? "again" : "",
  );
  return (
    <Panel title={messages.allProjects} testId="all-projects">
      <QueryView loaded={loaded}>
        {({ projects }) => (
          <>
            <ProjectSearch
              shown={projects.length >= kSearchFrom}
              value={search}
              onSearch={setSearch}
            />
            <ProjectRows
              projects={matching(projects, search)}
              none={messages.noProjects}
            />
          </>
        )}
      </QueryView>
    </Panel>
  );
}
