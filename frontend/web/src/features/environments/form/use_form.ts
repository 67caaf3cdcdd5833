// Keeps a form and a text the same, shortly after the last key in one of them.
import { useEffect, useState } from "preact/hooks";
import { environmentFormClient } from "../../../api/environment_form";
import { failureOf, isPassing } from "../../../api/failure";
import { useEvent } from "../../../lib/use_event";
import { useSession } from "../../../session/session_context";
import { type FormDraft, formOf } from "./form_draft";
import {
  afterReading,
  afterWriting,
  type FormSync,
  kUnread,
  nextCall,
  withDraft,
} from "./form_sync";

const kDebounceMs = 300;
const kAgainMs = 1500;

export interface SyncedForm extends FormSync {
  edit(draft: FormDraft): void;
  reset(): void; // shows the text again
}

export function useForm(
  text: string,
  onText: (text: string) => void,
): SyncedForm {
  const { endIfOver } = useSession();
  const [sync, setSync] = useState(kUnread);
  const call = nextCall(sync, text);

  const read = useEvent(async (signal: AbortSignal) => {
    const { form, problems } = await environmentFormClient.readEnvironmentForm(
      { text },
      { signal },
    );
    setSync((old) => afterReading(old, text, form, problems));
  });
  const write = useEvent(async (signal: AbortSignal) => {
    const { form: before, draft } = sync;
    if (!before || !draft) return;
    const answer = await environmentFormClient.writeEnvironmentForm(
      { text, before, after: formOf(draft) },
      { signal },
    );
    const { form, problems } = answer;
    setSync((old) => afterWriting(old, answer.text, form, problems));
    if (form) onText(answer.text);
  });

  // A newer text or form ends the call about the older one.
  useEffect(() => {
    if (!call) return;
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      try {
        await (call === "read" ? read : write)(ending.signal);
      } catch (error) {
        if (ending.signal.aborted) return;
        const failure = failureOf(error);
        if (endIfOver(failure)) return;
        if (isPassing(failure)) timer = setTimeout(() => void ask(), kAgainMs);
        else setSync((old) => ({ ...old, failure }));
      }
    };
    timer = setTimeout(() => void ask(), kDebounceMs);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [call, text, sync.draft, read, write, endIfOver]);

  return {
    ...sync,
    edit: (draft) => setSync((old) => withDraft(old, draft)),
    reset: () => setSync(kUnread),
  };
}
