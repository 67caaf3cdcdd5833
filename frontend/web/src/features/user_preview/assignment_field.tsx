// Where a template is assumed to be assigned, in addition to where it is.
import { ProjectField } from "../choices/project_field";
import { messages } from "#messages/user_preview";

// An empty project: users without a project.
export interface Assignment {
  readonly project: string | undefined; // undefined: none is selected yet
}

export function attachedProjects({ project }: Assignment): readonly string[] {
  return project === undefined ? [] : [project];
}

export function AssignmentField(props: {
  assignment: Assignment | undefined; // undefined: as it is
  onAssignment(assignment: Assignment | undefined): void;
}) {
  const { assignment, onAssignment } = props;
  const choice =
    assignment === undefined
      ? "as-it-is"
      : assignment.project === ""
        ? "everybody"
        : "project";
  return (
    <>
      <label class="stacked">
        <span>{messages.assignment}</span>
        <select
          data-testid="draft-preview-assignment"
          value={choice}
          onChange={(event) => {
            const next = event.currentTarget.value;
            onAssignment(
              next === "as-it-is"
                ? undefined
                : { project: next === "everybody" ? "" : undefined },
            );
          }}
        >
          <option value="as-it-is">{messages.asAssignedNow}</option>
          <option value="everybody">{messages.alsoToUsersWithout}</option>
          <option value="project">{messages.alsoToAProject}</option>
        </select>
      </label>
      {choice === "project" && (
        <ProjectField
          label={messages.project}
          testId="draft-preview-project"
          id={assignment?.project ?? ""}
          onId={(id) => onAssignment({ project: id || undefined })}
        />
      )}
    </>
  );
}
