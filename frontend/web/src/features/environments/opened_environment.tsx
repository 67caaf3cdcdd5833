// Loads the environment that the address selects, or opens a new one.
import { environmentClient } from "../../api/environment";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { EnvironmentEditor } from "./environment_editor";
import type { OpenedProps, Original } from "./opened";
import { newText } from "./template";

export function OpenedEnvironment(props: OpenedProps) {
  const { chosen, images } = props;
  const loaded = useQuery<Original>(async () => {
    if (chosen.kind === "new") return { text: newText(images), revision: 0n };
    const { environment, text } = await environmentClient.getEnvironment({
      name: chosen.name,
      site: chosen.kind === "site",
    });
    return { text, revision: environment?.revision ?? 0n };
  });
  return (
    <QueryView loaded={loaded}>
      {(original) => (
        <EnvironmentEditor
          {...props}
          original={original}
          onSaved={loaded.set}
          reload={loaded.reload}
        />
      )}
    </QueryView>
  );
}
