// The buttons for what may be done with the project as a whole.
import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import { projectClient } from "../../api/project";
import { useAct } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { FailureNote } from "../../ui/failure_note";
import { type ProjectActWords, projectActs } from "./project_labels";

const kOther = "button button-small";
const kMain = `${kOther} button-primary`;

export function ProjectActs(props: {
  project: Project;
  onDone(what: string, project: Project | undefined): void;
}) {
  const { project, onDone } = props;
  const act = useAct();
  const [asked, setAsked] = useState<ProjectActWords>();
  const run = (words: ProjectActWords) =>
    act.run(async () => {
      const answer = await projectClient.actOnProject({
        projectId: project.id,
        act: words.act,
      });
      setAsked(undefined);
      onDone(words.done, answer.project);
    });
  const close = () => {
    setAsked(undefined);
    act.forget();
  };
  return (
    <>
      {projectActs(project).map((words) => (
        <button
          key={words.act}
          class={words.main ? kMain : kOther}
          type="button"
          data-test={`project-act-${words.act}`}
          aria-disabled={act.busy}
          onClick={() => (words.ask ? setAsked(words) : void run(words))}
        >
          {words.label}
        </button>
      ))}
      {act.failure && !asked && <FailureNote failure={act.failure} />}
      {asked && (
        <ConfirmDialog
          title={`${asked.label.replace("…", "")} the project?`}
          act={act}
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
