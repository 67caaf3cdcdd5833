// Where a template is assumed to be assigned, in addition to where it is.
import { ProjectField } from "../choices/project_field";
import { SelectField } from "../../ui/form/field";
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
      <SelectField
        label={messages.assignment}
        testId="draft-preview-assignment"
        value={choice}
        options={[
          ["as-it-is", messages.asAssignedNow],
          ["everybody", messages.alsoToUsersWithout],
          ["project", messages.alsoToAProject],
        ]}
        onValue={(next) =>
          onAssignment(
            next === "as-it-is"
              ? undefined
              : { project: next === "everybody" ? "" : undefined },
          )
        }
      />
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
