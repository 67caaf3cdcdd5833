// The actions on a project.
import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import { applyProjectAction } from "../../api/project";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { FailureNote } from "../../ui/failure_note";
import { type ProjectActionLabel, projectActions } from "./project_labels";
import { messages } from "#messages/projects";

const kOther = "button button-small";
const kMain = `${kOther} button-primary`;

export function ProjectActions(props: {
  project: Project;
  onDone(what: string, project: Project | undefined): void;
}) {
  const { project, onDone } = props;
  const mutation = useMutation();
  const [asked, setAsked] = useState<ProjectActionLabel>();
  const run = (label: ProjectActionLabel) =>
    mutation.run(async () => {
      const answer = await applyProjectAction(label.action, project.id);
      setAsked(undefined);
      onDone(label.done, answer.project);
    });
  const close = () => {
    setAsked(undefined);
    mutation.clearFailure();
  };
  return (
    <>
      {projectActions(project).map((label) => (
        <button
          key={label.action}
          class={label.main ? kMain : kOther}
          type="button"
          data-testid={`project-act-${label.action}`}
          aria-disabled={mutation.busy}
          onClick={() => (label.ask ? setAsked(label) : void run(label))}
        >
          {label.label}
        </button>
      ))}
      {mutation.failure && !asked && <FailureNote failure={mutation.failure} />}
      {asked && (
        <ConfirmDialog
          title={messages.confirmProjectAction({
            action: asked.label.replace("…", ""),
          })}
          mutation={mutation}
          confirm={asked.label.replace("…", "")}
          onConfirm={() => void run(asked)}
          close={close}
        >
          <p>{asked.ask}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
