// A new template, or the settings of one.
import { useState } from "preact/hooks";
import type { Template, TemplateSettings } from "#proto/template";
import { templateClient } from "../../api/template";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { type DraftField, draftOf, settingsOf } from "./template_draft";

// Label, and a word on it.
const kTexts: readonly (readonly [DraftField, string, string])[] = [
  ["name", "Name", ""],
  ["description", "What it is for", ""],
  ["partition", "Partition", "Empty: any"],
  [
    "gpuTypes",
    "GPU types",
    "With commas between, the default first; empty: any",
  ],
  ["maxGpusPerNode", "Most GPUs a node", "Empty: no limit, here and below"],
  ["maxNodes", "Most nodes of a job", ""],
  ["maxJobs", "Most jobs of one user at once", ""],
  ["maxWalltime", "Longest walltime", "Such as 45 min or 2 h"],
  ["maxExtendedWalltime", "Longest with extensions", "Empty: as the walltime"],
  ["cpusPerGpu", "CPUs for each GPU", ""],
  ["memoryPerGpuMib", "Memory for each GPU", "Such as 64 GiB"],
  ["images", "Images", "Their ids with commas between; empty: any"],
  ["account", "Slurm account", "Empty: the project’s, or the user’s own"],
  ["qos", "Slurm QOS", "Empty: the user’s default"],
  [
    "reservation",
    "Slurm reservation",
    "In which all its jobs run; empty: none",
  ],
  [
    "idleWarning",
    "Warned after this time without use",
    "Empty: as the site has it",
  ],
  ["idleStop", "And stopped after this time more", ""],
];

export function TemplateForm(props: {
  template: Template | undefined; // absent: a new one
  proposal?: TemplateSettings | undefined; // what a new one begins as
  onDone(what: string): void;
  close(): void;
}) {
  const { template, proposal, onDone, close } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [draft, setDraft] = useState(draftOf(template?.settings ?? proposal));
  const [unreadable, setUnreadable] = useState("");

  const submit = (event: Event) => {
    event.preventDefault();
    setUnreadable("");
    let settings: TemplateSettings;
    try {
      settings = settingsOf(draft);
    } catch (error) {
      setUnreadable(error instanceof Error ? error.message : String(error));
      return;
    }
    void mutation.run(async () => {
      await withReauthentication<unknown>(() =>
        template
          ? templateClient.changeTemplate({ templateId: template.id, settings })
          : templateClient.createTemplate({ settings }),
      );
      onDone(
        `The template ${settings.name} was ${template ? "changed" : "made"}.`,
      );
    });
  };
  return (
    <form class="template-form" data-testid="template-form" onSubmit={submit}>
      {kTexts.map(([field, label, hint]) => (
        <label key={field} class="stacked">
          <span>{label}</span>
          <input
            data-testid={`template-${field}`}
            autocomplete="off"
            spellcheck={false}
            value={draft[field]}
            onInput={(event) =>
              setDraft({ ...draft, [field]: event.currentTarget.value })
            }
          />
          {hint && <span class="hint">{hint}</span>}
        </label>
      ))}
      <label class="check">
        <input
          type="checkbox"
          data-testid="template-noGpus"
          checked={draft.noGpus}
          onChange={(event) =>
            setDraft({ ...draft, noGpus: event.currentTarget.checked })
          }
        />
        <span>Its jobs have no GPUs</span>
      </label>
      {unreadable && (
        <div
          class="note note-bad"
          role="alert"
          data-testid="template-unreadable"
        >
          <p class="sentence">{unreadable}</p>
        </div>
      )}
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="template-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="template-save"
          aria-disabled={mutation.busy}
        >
          {mutation.busy
            ? "One moment…"
            : template
              ? "Save"
              : "Make the template"}
        </button>
        <button class="button" type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
