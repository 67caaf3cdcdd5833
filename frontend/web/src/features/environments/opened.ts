// The environment that is open in the editor.
import type { Dispatch, StateUpdater } from "preact/hooks";
import type { ImageChoice } from "#proto/cluster";
import type { ListEnvironmentTemplatesResponse } from "#proto/environment_gallery";
import type { Choice, Drafts } from "./choice";

export interface OpenedProps {
  chosen: Choice;
  images: readonly ImageChoice[];
  gallery: ListEnvironmentTemplatesResponse;
  drafts: Drafts;
  setDrafts: Dispatch<StateUpdater<Drafts>>;
  // Called after saving or deleting, with the message and the next environment
  // to show.
  onChanged(message: string, next: Choice | undefined): void;
}

export interface Original {
  readonly text: string;
  readonly revision: bigint; // 0: a new or site environment
}
