// Selects a project of the user or a directory group to share an image with.
import { create } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { type ImageShare, ImageShareSchema } from "#proto/image";
import type { Project } from "#proto/project";
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
        <label class="stacked">
          <span>{messages.shareWith}</span>
          <select
            data-testid="share-project"
            value={project}
            onChange={(event) => choose(event.currentTarget.value, group)}
          >
            <option value="">{messages.directoryGroup}</option>
            {usable.map(({ id, settings }) => (
              <option key={id} value={id}>
                {messages.projectChoice({ name: settings?.name ?? "" })}
              </option>
            ))}
          </select>
        </label>
      )}
      {project === "" && (
        <label class="stacked">
          <span>{messages.groupName}</span>
          <input
            data-testid="share-group"
            autocomplete="off"
            value={group}
            onInput={(event) => choose("", event.currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}
