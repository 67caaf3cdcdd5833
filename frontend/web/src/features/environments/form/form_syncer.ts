// Calls the server to keep a form and a text the same, shortly after the last key
// in one of them. A newer key in either ends the call about the older state, and
// its answer is dropped.
import type { Client } from "@connectrpc/connect";
import type { EnvironmentFormService } from "#proto/environment_form";
import { failureOf, isPassing, type Failure } from "../../../api/failure";
import { type FormDraft, formOf } from "./form_draft";
import {
  afterReading,
  afterWriting,
  type FormSync,
  isEdited,
  kUnread,
  nextCall,
  withDraft,
} from "./form_sync";

export const kDebounceMs = 300;
const kAgainMs = 1500;

export interface FormSyncerOptions {
  readonly client: Client<typeof EnvironmentFormService>;
  readonly isReadOnly: boolean; // the text is never written
  onChange(sync: FormSync): void;
  onText(text: string): void; // the text with the form's edit
  isOver(failure: Failure): boolean; // the session has ended
}

// What a call is about.
interface Subject {
  readonly call: "read" | "write" | undefined;
  readonly text: string;
  readonly draft: FormDraft | undefined;
}

export class FormSyncer {
  private sync = kUnread;
  private text: string | undefined;
  private subject: Subject | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ending = new AbortController();
  private resets = 0;

  constructor(private readonly options: FormSyncerOptions) {}

  setText(text: string): void {
    if (this.text === text) return;
    this.text = text;
    this.schedule();
  }

  edit(draft: FormDraft): void {
    if (!this.options.isReadOnly) this.update(withDraft(this.sync, draft));
  }

  // Discards an edit, and shows the text again.
  reset(): void {
    this.stop();
    this.update(kUnread);
  }

  // The form can be used again after `setText`, `edit` or `reset`.
  stop(): void {
    this.resets++;
    this.subject = undefined;
    this.end();
  }

  // Writes an edit at once. Returns the text with it; undefined: the edit cannot
  // be written, or `reset` or `stop` has discarded it. Throws what the call throws.
  async flush(): Promise<string | undefined> {
    const { resets } = this;
    while (resets === this.resets) {
      if (this.options.isReadOnly || !isEdited(this.sync)) return this.text;
      const { call, text, draft } = this.nextSubject() ?? {};
      if (call !== "write") return undefined;
      try {
        await this.send(call);
      } catch (error) {
        if (isPassing(failureOf(error))) this.sendLater(kAgainMs);
        throw error;
      }
      // Without a newer key, what is left was refused.
      const isNewest = this.text === text && this.sync.draft === draft;
      if (isNewest && isEdited(this.sync)) return undefined;
    }
    return undefined;
  }

  private update(sync: FormSync): void {
    this.sync = sync;
    this.options.onChange(sync);
    this.schedule();
  }

  private nextSubject(): Subject | undefined {
    const { sync, text } = this;
    if (text === undefined) return undefined;
    const call = nextCall(sync, text, this.options.isReadOnly);
    return { call, text, draft: sync.draft };
  }

  private schedule(): void {
    const next = this.nextSubject();
    const { subject } = this;
    if (
      subject?.call === next?.call &&
      subject?.text === next?.text &&
      subject?.draft === next?.draft
    ) {
      return; // asked before
    }
    this.end();
    this.subject = next;
    if (next?.call) this.sendLater(kDebounceMs);
  }

  private end(): void {
    clearTimeout(this.timer);
    this.ending.abort();
  }

  private sendLater(delayMs: number): void {
    this.timer = setTimeout(() => void this.trySend(), delayMs);
  }

  private async trySend(): Promise<void> {
    try {
      await this.send(this.subject?.call);
    } catch (error) {
      const failure = failureOf(error);
      if (this.options.isOver(failure)) return;
      if (isPassing(failure)) this.sendLater(kAgainMs);
      else this.update({ ...this.sync, failure });
    }
  }

  // Throws nothing after a newer key.
  private async send(call: Subject["call"]): Promise<void> {
    this.end();
    this.ending = new AbortController();
    const { signal } = this.ending;
    try {
      if (call === "read") await this.read(signal);
      if (call === "write") await this.write(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async read(signal: AbortSignal): Promise<void> {
    const { text } = this;
    if (text === undefined) return;
    const answer = await this.options.client.readEnvironmentForm(
      { text },
      { signal },
    );
    if (signal.aborted) return;
    this.update(afterReading(this.sync, text, answer.form, answer.problems));
  }

  private async write(signal: AbortSignal): Promise<void> {
    const { text } = this;
    const { form: before, draft } = this.sync;
    if (text === undefined || !before || !draft) return;
    const answer = await this.options.client.writeEnvironmentForm(
      { text, before, after: formOf(draft, before) },
      { signal },
    );
    if (signal.aborted) return;
    const { form, problems } = answer;
    if (form) this.text = answer.text;
    this.update(afterWriting(this.sync, answer.text, form, problems));
    if (form) this.options.onText(answer.text);
  }
}
