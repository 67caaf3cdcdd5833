// Selects a project of the user or a directory group to share an image with.
import { create } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { type ImageShare, ImageShareSchema } from "#proto/image";
import type { Project } from "#proto/project";
import { SelectField, TextField } from "../../ui/form/field";
import { messages } from "#messages/images";

export function PartnerChoice(props: {
  projects: readonly Project[]; // of the user
  onChoose(partner: ImageShare): void; // without names: no selection yet
}) {
  const { projects, onChoose } = props;
  const usable = projects.filter((project) => project.usable);
  const [project, setProject] = useState("");
  const [group, setGroup] = useState("");
  const choose = (project: string, group: string) => {
    setProject(project);
    setGroup(group);
    onChoose(
      create(ImageShareSchema, project ? { project } : { group: group.trim() }),
    );
  };
  return (
    <>
      {usable.length > 0 && (
        <SelectField
          label={messages.shareWith}
          testId="share-project"
          value={project}
          options={[
            ["", messages.directoryGroup],
            ...usable.map(
              ({ id, settings }) =>
                [
                  id,
                  messages.projectChoice({ name: settings?.name ?? "" }),
                ] as const,
            ),
          ]}
          onValue={(id) => choose(id, group)}
        />
      )}
      {project === "" && (
        <TextField
          label={messages.groupName}
          testId="share-group"
          value={group}
          onValue={(value) => choose("", value)}
        />
      )}
    </>
  );
}
