// Creates a template or changes its settings.
import { useState } from "preact/hooks";
import type { Template, TemplateSettings } from "#proto/template";
import { templateClient } from "../../api/template";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { type DraftField, draftOf, draftToSettings } from "./template_draft";
import { messages } from "./messages";

// Label and hint.
const kTexts: readonly (readonly [DraftField, string, string])[] = [
  ["name", "Name", ""],
  ["description", "Description", ""],
  ["partition", "Partition", "Leave empty for any"],
  [
    "gpuTypes",
    "GPU types",
    "Separated by commas, default first. Leave empty for any.",
  ],
  [
    "maxGpusPerNode",
    "Maximum GPUs per node",
    "Leave empty for unlimited, also below",
  ],
  ["maxNodes", "Maximum nodes per job", ""],
  ["maxJobs", "Maximum jobs per user at once", ""],
  ["maxWalltime", "Maximum walltime", "Such as 45 min or 2 h"],
  [
    "maxExtendedWalltime",
    "Maximum with extensions",
    "Leave empty for the maximum walltime",
  ],
  ["cpusPerGpu", "CPUs per GPU", ""],
  ["memoryPerGpuMib", "Memory per GPU", "Such as 64 GiB"],
  ["images", "Images", "Image IDs separated by commas. Leave empty for any."],
  [
    "account",
    "Slurm account",
    "Leave empty for the account of the project or user",
  ],
  ["qos", "Slurm QOS", "Leave empty for the user’s default"],
  [
    "reservation",
    "Slurm reservation",
    "Used by all its jobs. Leave empty for none.",
  ],
  ["idleWarning", "Idle warning after", "Leave empty for the site default"],
  ["idleStop", "Stop after further", ""],
];

export function TemplateForm(props: {
  template: Template | undefined; // absent: a new template
  proposal?: TemplateSettings | undefined; // the initial values of a new template
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
      settings = draftToSettings(draft);
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
      onDone(`Template ${settings.name} ${template ? "saved" : "created"}.`);
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
        <span>{messages.jobsWithoutGpus}</span>
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
            ? messages.saving
            : template
              ? messages.save
              : messages.createTemplate}
        </button>
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
        </button>
      </div>
    </form>
  );
}
