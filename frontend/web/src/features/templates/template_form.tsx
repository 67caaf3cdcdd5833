// Creates a template or changes its settings.
import { useState } from "preact/hooks";
import { ChoiceKind } from "#proto/choice";
import { GpuIdlePolicy_Action } from "#proto/gpu_idle";
import type { Template, TemplateSettings } from "#proto/template";
import { dryRunClient } from "../../api/dry_run";
import { templateClient } from "../../api/template";
import { ChoiceField } from "../choices/choice_field";
import { DryRunPanel } from "../dry_run/dry_run_panel";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { DraftPreviewDialog } from "../user_preview/draft_preview";
import {
  checkable,
  type DraftField,
  draftOf,
  draftToSettings,
} from "./template_draft";
import { CheckField, SelectField, TextField } from "../../ui/form/field";
import { FormError, useFormError } from "../../ui/form/form_error";
import { FieldError } from "../../lib/field_error";
import { messages as dryRunMessages } from "#messages/dry_run";
import { messages } from "#messages/templates";
import { messages as previewMessages } from "#messages/user_preview";

// Label and hint.
const kTexts: readonly (readonly [DraftField, string, string])[] = [
  ["name", messages.name, ""],
  ["description", messages.description, ""],
  ["partition", messages.partition, messages.leaveEmptyForAny],
  ["gpuTypes", messages.gpuTypes, messages.separatedByCommasDefaultFirst],
  [
    "maxGpusPerNode",
    messages.maximumGpusPerNode,
    messages.leaveEmptyForUnlimitedAlso,
  ],
  ["maxNodes", messages.maximumNodesPerJob, ""],
  ["maxJobs", messages.maximumJobsPerUserAt, ""],
  ["maxWalltime", messages.maximumWalltime, messages.suchAs45MinOr],
  [
    "maxExtendedWalltime",
    messages.maximumWithExtensions,
    messages.leaveEmptyForTheMaximum,
  ],
  ["cpusPerGpu", messages.cpusPerGpu, ""],
  ["memoryPerGpuMib", messages.memoryPerGpu, messages.suchAs64Gib],
  ["images", messages.images, messages.imageIdsSeparatedByCommas],
  ["account", messages.slurmAccount, messages.leaveEmptyForTheAccount],
  ["qos", messages.slurmQos, messages.leaveEmptyForTheUsers],
  ["reservation", messages.slurmReservation, messages.usedByAllItsJobs],
  ["idleWarning", messages.idleWarningAfter, messages.leaveEmptyForTheSite],
  ["idleStop", messages.stopAfterFurther, ""],
];

// The fields for names that Slurm or Carme has; true: a list of names.
const kChoices: Partial<
  Readonly<Record<DraftField, readonly [ChoiceKind, boolean]>>
> = {
  partition: [ChoiceKind.PARTITION, false],
  gpuTypes: [ChoiceKind.GPU_TYPE, true],
  images: [ChoiceKind.IMAGE, true],
  account: [ChoiceKind.ACCOUNT, false],
  qos: [ChoiceKind.QOS, false],
  reservation: [ChoiceKind.RESERVATION, false],
};

const kGpuIdleActions: readonly (readonly [GpuIdlePolicy_Action, string])[] = [
  [GpuIdlePolicy_Action.UNSPECIFIED, messages.idleGpusAreIgnored],
  [GpuIdlePolicy_Action.WARN_ONLY, messages.idleGpusWarn],
  [GpuIdlePolicy_Action.STOP, messages.idleGpusStop],
  [GpuIdlePolicy_Action.SHRINK, messages.idleGpusShrink],
];

const kGpuIdleTexts: readonly (readonly [DraftField, string, string])[] = [
  [
    "gpuIdleThreshold",
    messages.gpuIdleThreshold,
    messages.gpuIdleThresholdHint,
  ],
  ["gpuIdleWarning", messages.gpuIdleWarnAfter, messages.atLeast2Min],
];
const kGpuIdleStop = [
  "gpuIdleAct",
  messages.gpuIdleStopAfter,
  messages.countedFromTheSameTime,
] as const;
const kGpuIdleShrink = [
  "gpuIdleAct",
  messages.gpuIdleActAfter,
  messages.idleGpusShrinkHint,
] as const;

// The fields that the chosen action uses.
function gpuIdleTexts(action: GpuIdlePolicy_Action) {
  if (action === GpuIdlePolicy_Action.UNSPECIFIED) return [];
  if (action === GpuIdlePolicy_Action.WARN_ONLY) return kGpuIdleTexts;
  return [
    ...kGpuIdleTexts,
    action === GpuIdlePolicy_Action.SHRINK ? kGpuIdleShrink : kGpuIdleStop,
  ];
}

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
  const { error, setError, errorIdOf } = useFormError();
  const [previewed, setPreviewed] = useState<TemplateSettings>();

  const read = (): TemplateSettings | undefined => {
    setError(undefined);
    try {
      return draftToSettings(draft);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      setError(error);
      return undefined;
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const settings = read();
    if (!settings) return;
    void mutation.run(async () => {
      await withReauthentication<unknown>(() =>
        template
          ? templateClient.changeTemplate({ templateId: template.id, settings })
          : templateClient.createTemplate({ settings }),
      );
      onDone(
        template
          ? messages.templateSaved({ name: settings.name })
          : messages.templateCreated({ name: settings.name }),
      );
    });
  };
  const fieldProps = (field: DraftField, label: string, hint: string) => ({
    label,
    hint,
    errorId: errorIdOf(field),
    testId: `template-${field}`,
    value: draft[field],
    onValue: (value: string) => {
      setError(undefined);
      setDraft((old) => ({ ...old, [field]: value }));
    },
  });
  return (
    <>
      <form class="template-form" data-testid="template-form" onSubmit={submit}>
        {kTexts.map(([field, label, hint]) => {
          const [kind, list] = kChoices[field] ?? [];
          const all = fieldProps(field, label, hint);
          return kind === undefined ? (
            <TextField key={field} {...all} />
          ) : (
            <ChoiceField
              key={field}
              kind={kind}
              list={list ?? false}
              {...all}
            />
          );
        })}
        <SelectField
          label={messages.idleGpus}
          testId="template-gpuIdleAction"
          value={draft.gpuIdleAction}
          options={kGpuIdleActions}
          onValue={(gpuIdleAction) => setDraft({ ...draft, gpuIdleAction })}
        />
        {gpuIdleTexts(draft.gpuIdleAction).map(([field, label, hint]) => (
          <TextField key={field} {...fieldProps(field, label, hint)} />
        ))}
        <CheckField
          testId="template-noGpus"
          checked={draft.noGpus}
          onChecked={(noGpus) => setDraft({ ...draft, noGpus })}
        >
          {messages.jobsWithoutGpus}
        </CheckField>
        <DryRunPanel
          draft={checkable(draft)}
          about={
            template
              ? dryRunMessages.templateAbout
              : dryRunMessages.newTemplateAbout
          }
          check={async () => {
            const request = {
              templateId: template?.id ?? "",
              settings: draftToSettings(draft),
            };
            return (await dryRunClient.dryRunTemplate(request)).dryRun;
          }}
        />
        {error && <FormError {...error} testId="template-unreadable" />}
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
          <button
            class="button"
            type="button"
            data-testid="template-preview"
            onClick={() => setPreviewed(read())}
          >
            <Icon name="people" /> {previewMessages.previewAsAUser}
          </button>
          <button class="button" type="button" onClick={close}>
            {messages.cancel}
          </button>
        </div>
      </form>
      {previewed && (
        <DraftPreviewDialog
          title={
            template
              ? previewMessages.unsavedTemplate({
                  name: template.settings?.name ?? "",
                })
              : previewMessages.unsavedNewTemplate
          }
          drafts={{
            templateDraft: {
              templateId: template?.id ?? "",
              settings: previewed,
              ...(template?.settings && { base: template.settings }),
            },
          }}
          close={() => setPreviewed(undefined)}
        />
      )}
    </>
  );
}
