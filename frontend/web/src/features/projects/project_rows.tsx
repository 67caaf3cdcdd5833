import type { Project } from "#proto/project";
import { Icon } from "../../ui/icon";
import {
  endLabel,
  inOrder,
  isMember,
  locationLabel,
  stateLabel,
} from "./project_labels";
import { projectHref } from "./project_href";
import { messages } from "#messages/projects";

export function ProjectRows(props: {
  projects: readonly Project[];
  none: string;
}) {
  const { projects, none } = props;
  if (projects.length === 0) return <p class="muted">{none}</p>;
  return (
    <ul class="rows">
      {inOrder(projects).map((project) => (
        <Row key={project.id} project={project} />
      ))}
    </ul>
  );
}

function Row({ project }: { project: Project }) {
  const { id, settings, owner, role, memberCount, waitingCount } = project;
  const state = stateLabel(project);
  const end = endLabel(project);
  const mine = locationLabel(role);
  return (
    <li class="row" data-testid={`project-${id}`} data-own={isMember(role)}>
      <Icon name="people" />
      <div class="row-what">
        <p class="row-title">
          <a class="project-name" href={projectHref(id)}>
            {settings?.name}
          </a>{" "}
          <span class="state" data-tone={state.tone}>
            {state.text}
          </span>
        </p>
        <p class="muted small facts-line">
          {role !== 0 && (
            <span>{messages.yourRoleIs({ role: mine.text })}</span>
          )}
          <span>{messages.ownedBy({ owner })}</span>
          <span>{messages.memberCount({ amount: memberCount })}</span>
          <span>{settings?.classification}</span>
          {end && <span>{end}</span>}
        </p>
      </div>
      {waitingCount > 0 && (
        <a
          class="button button-small"
          href={projectHref(id)}
          data-testid={`project-waiting-${id}`}
        >
          {messages.waitForYou({ amount: waitingCount })}
        </a>
      )}
    </li>
  );
}
