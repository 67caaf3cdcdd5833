// Keeps a form and a text the same while a component shows them.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { environmentFormClient } from "../../../api/environment_editor";
import { useEvent } from "../../../lib/use_event";
import { useSession } from "../../../session/session_context";
import type { FormDraft } from "./form_draft";
import { type FormSync, isEdited, isRefused, kUnread } from "./form_sync";
import { FormSyncer } from "./form_syncer";

export interface SyncedForm extends FormSync {
  readonly isPending: boolean; // an edit is not in the text yet
  readonly isRefused: boolean; // and cannot be written at present
  edit(draft: FormDraft): void;
  reset(): void; // discards an edit, and shows the text again
  // Writes an edit at once, as FormSyncer.flush.
  flush(): Promise<string | undefined>;
}

export function useForm(
  text: string,
  isReadOnly: boolean, // never changes
  onText: (text: string) => void,
): SyncedForm {
  const { endIfOver } = useSession();
  const [sync, setSync] = useState(kUnread);
  const emit = useEvent(onText);
  const [syncer] = useState(
    () =>
      new FormSyncer({
        client: environmentFormClient,
        isReadOnly,
        onChange: setSync,
        onText: emit,
        isOver: endIfOver,
      }),
  );
  // Before the next key: an answer about an older text must not replace this one.
  useLayoutEffect(() => syncer.setText(text), [syncer, text]);
  useEffect(() => () => syncer.stop(), [syncer]);

  return {
    ...sync,
    isPending: !isReadOnly && isEdited(sync),
    isRefused: !isReadOnly && isRefused(sync),
    edit: (draft) => syncer.edit(draft),
    reset: () => syncer.reset(),
    flush: () => syncer.flush(),
  };
}
