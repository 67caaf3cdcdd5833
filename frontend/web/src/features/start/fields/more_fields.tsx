// Fields with defaults that suit most jobs. The preview shows the values.
import { useEffect, useState } from "preact/hooks";
import { type Partition, PartitionState } from "#proto/cluster";
import type { JobSpec } from "#proto/jobs";
import { formatMinutes } from "../../../lib/format/duration";
import { formatMib } from "../../../lib/format/memory";
import { ExcludedNodesField } from "./excluded_nodes_field";
import { StartAtField } from "./start_at_field";
import { Icon } from "../../../ui/icon";
import { CountInput } from "./count_input";
import { Field } from "./field";
import type { FieldsProps } from "./main_fields";
import { NotifyChoice } from "./notify_choice";
import { kAdvanced, kChecked, kSpareNodes } from "../form/start_form";
import { maxOf, qosChoices } from "../form/template_bounds";
import { messages } from "#messages/start";

export function MoreFields(
  props: FieldsProps & { defaults: JobSpec | undefined },
) {
  const { form, cluster, validationErrors, bound, left, defaults, onField } =
    props;
  const [open, setOpen] = useState(false);
  const wrong = kAdvanced.some((name) => validationErrors[name]);
  // Opens if one of the fields has a validation error.
  useEffect(() => {
    if (wrong) setOpen(true);
  }, [wrong]);

  return (
    <details
      class="more"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary data-testid="more-options">
        {messages.moreOptions} <Icon name="chevron" />
      </summary>
      <div class="fields">
        <Field
          name="cpusPerNode"
          label={messages.cpusPerNode}
          validationErrors={validationErrors.cpusPerNode}
        >
          {(input) => (
            <CountInput
              input={input}
              label={messages.cpusPerNode}
              least={1}
              max={maxOf("cpusPerNode", form, bound)}
              value={form.cpusPerNode}
              placeholder={shown(defaults?.cpusPerNode)}
              onValue={(value) => onField("cpusPerNode", value)}
            />
          )}
        </Field>
        <Field
          name="memoryPerNodeMib"
          label={messages.memoryPerNode}
          validationErrors={validationErrors.memoryPerNodeMib}
        >
          {(input) => (
            <input
              {...input}
              inputMode="decimal"
              autocomplete="off"
              maxLength={12}
              value={form.memoryPerNodeMib}
              placeholder={shownMemory(defaults?.memoryPerNodeMib)}
              onInput={(event) =>
                onField("memoryPerNodeMib", event.currentTarget.value)
              }
            />
          )}
        </Field>
        <Field name="partition" validationErrors={validationErrors.partition}>
          {(input) => (
            <select
              {...input}
              value={form.partition}
              onChange={(event) =>
                onField("partition", event.currentTarget.value)
              }
            >
              <option value="">
                {bound?.partition
                  ? messages.templateDefault({ value: bound.partition })
                  : defaultPartition(cluster.partitions)}
              </option>
              {form.partition &&
                !left.partitions.some(
                  ({ name }) => name === form.partition,
                ) && <option value={form.partition}>{form.partition}</option>}
              {left.partitions.map((partition) => (
                <option key={partition.name} value={partition.name}>
                  {partitionOption(partition)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <QosField {...props} />
        <Field name="name" validationErrors={validationErrors.name}>
          {(input) => (
            <input
              {...input}
              autocomplete="off"
              maxLength={64}
              value={form.name}
              placeholder={defaults?.name}
              onInput={(event) => onField("name", event.currentTarget.value)}
            />
          )}
        </Field>
        <Field
          name="description"
          validationErrors={validationErrors.description}
        >
          {(input) => (
            <input
              {...input}
              autocomplete="off"
              maxLength={200}
              value={form.description}
              onInput={(event) =>
                onField("description", event.currentTarget.value)
              }
            />
          )}
        </Field>
        <VettingField {...props} />
        <ExcludedNodesField {...props} />
        <StartAtField
          value={form.startAt}
          validationErrors={validationErrors.startAt}
          onValue={(value) => onField("startAt", value)}
        />
        <StageField
          name="stageIn"
          label={messages.stageInCopyToThe}
          placeholder={messages.exampleStageIn}
          hint={messages.onePerLineSourcePath}
          {...props}
        />
        <StageField
          name="stageOut"
          label={messages.stageOutCopyBackAt}
          placeholder={messages.exampleStageOut}
          hint={messages.onePerLineNameIn}
          {...props}
        />
        {open && !props.preview && (
          <NotifyChoice
            value={form.notify}
            validationErrors={validationErrors.notify}
            onValue={(value) => onField("notify", value)}
          />
        )}
      </div>
    </details>
  );
}

// Shown if Slurm offers a choice, or if the selected value has an error.
function QosField(props: FieldsProps) {
  const { form, cluster, templates, bound, validationErrors, onField } = props;
  const choices = qosChoices(form, cluster, templates);
  const others = form.qos && form.qos !== bound?.qos;
  if (choices.length === 0 && !others && !validationErrors.qos) return null;
  return (
    <Field
      name="qos"
      label={messages.slurmQos}
      validationErrors={validationErrors.qos}
    >
      {(input) => (
        <select
          {...input}
          value={form.qos}
          onChange={(event) => onField("qos", event.currentTarget.value)}
        >
          <option value="">
            {bound?.qos
              ? messages.templateDefault({ value: bound.qos })
              : messages.yourDefault}
          </option>
          {form.qos && !choices.includes(form.qos) && (
            <option value={form.qos}>{form.qos}</option>
          )}
          {choices.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

// Nodes are vetted by `carme vet` with the site's configuration.
function VettingField(props: FieldsProps) {
  const { form, validationErrors, onField } = props;
  const choices = kSpareNodes.includes(form.vetting)
    ? kSpareNodes
    : [...kSpareNodes, form.vetting].filter(Boolean);
  return (
    <Field
      name="vetting"
      label={messages.vetNodes}
      validationErrors={validationErrors.vetting}
    >
      {(input) => (
        <>
          <select
            {...input}
            value={form.vetting}
            title={messages.vetNodesHint}
            onChange={(event) => onField("vetting", event.currentTarget.value)}
          >
            <option value="">{messages.doNotVet}</option>
            {choices.map((spare) => (
              <option key={spare} value={spare}>
                {messages.vetWithSpareNodes({ spare: Number(spare) })}
              </option>
            ))}
          </select>
          {form.vetting && (
            <label class="check" title={messages.resubmitHint}>
              <input
                type="checkbox"
                data-testid="field-resubmit"
                checked={form.resubmit !== ""}
                onChange={(event) =>
                  onField(
                    "resubmit",
                    event.currentTarget.checked ? kChecked : "",
                  )
                }
              />
              <span>{messages.resubmit}</span>
            </label>
          )}
        </>
      )}
    </Field>
  );
}

function StageField(
  props: FieldsProps & {
    name: "stageIn" | "stageOut";
    label: string;
    placeholder: string;
    hint: string;
  },
) {
  const { form, validationErrors, onField, name, label, placeholder, hint } =
    props;
  return (
    <Field name={name} label={label} validationErrors={validationErrors[name]}>
      {(input) => (
        <textarea
          {...input}
          class="mono stage-lines"
          rows={2}
          spellcheck={false}
          maxLength={32768}
          value={form[name]}
          placeholder={placeholder}
          title={hint}
          onInput={(event) => onField(name, event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function shown(value: number | undefined): string {
  return value ? String(value) : "";
}

function shownMemory(mib: bigint | undefined): string {
  return mib ? formatMib(Number(mib)) : "";
}

function defaultPartition(partitions: readonly Partition[]): string {
  const chosen = partitions.find(({ isDefault }) => isDefault);
  return chosen
    ? messages.defaultPartition({ name: chosen.name })
    : messages.default;
}

const kPartitionStates: Partial<Record<PartitionState, string>> = {
  [PartitionState.DRAIN]: messages.drained,
  [PartitionState.INACTIVE]: messages.inactive,
};

function partitionOption({ name, up, state, maxWalltime }: Partition): string {
  if (!up) {
    const text = kPartitionStates[state] ?? messages.down;
    return messages.partitionInState({ name, state: text });
  }
  if (!maxWalltime) return name;
  const longest = formatMinutes(Number(maxWalltime.seconds) / 60);
  return messages.partitionUpTo({ name, walltime: longest });
}
