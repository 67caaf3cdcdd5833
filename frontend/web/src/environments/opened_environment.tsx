// The environment that the address names, fetched, or a new one.
import type { Dispatch, StateUpdater } from "preact/hooks";
import type { ImageChoice } from "#proto/cluster";
import { environmentClient } from "../api/environment_clients";
import { useLoaded } from "../session/use_loaded";
import { LoadedView } from "../ui/loaded_view";
import type { Choice, Drafts } from "./choice";
import { EnvironmentEditor } from "./environment_editor";
import { newText } from "./template";

export interface OpenedProps {
  chosen: Choice;
  images: readonly ImageChoice[];
  drafts: Drafts;
  setDrafts: Dispatch<StateUpdater<Drafts>>;
  // Something was kept or deleted: what to say, and what to show next.
  onChanged(news: string, next: Choice | undefined): void;
}

export interface Original {
  readonly text: string;
  readonly revision: bigint; // 0: a new one, or the site's
}

export function OpenedEnvironment(props: OpenedProps) {
  const { chosen, images } = props;
  const loaded = useLoaded<Original>(async () => {
    if (chosen.kind === "new") return { text: newText(images), revision: 0n };
    const { environment, text } = await environmentClient.getEnvironment({
      name: chosen.name,
      site: chosen.kind === "site",
    });
    return { text, revision: environment?.revision ?? 0n };
  });
  return (
    <LoadedView loaded={loaded}>
      {(original) => (
        <EnvironmentEditor
          {...props}
          original={original}
          onSaved={loaded.set}
          reload={loaded.reload}
        />
      )}
    </LoadedView>
  );
}
