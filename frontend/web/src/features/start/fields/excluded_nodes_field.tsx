// The nodes that the job must not run on: names and Slurm's lists of them, typed or
// chosen from the nodes of the partition.
import { useMemo, useState } from "preact/hooks";
import { clusterUtilizationClient } from "../../../api/history";
import { useQuery } from "../../../session/use_query";
import { ComboboxInput } from "../../../ui/combobox/combobox_input";
import {
  excludedNodesOf,
  toggled,
  trimmed,
  typedItem,
} from "../form/excluded_nodes";
import { nodeOptions, nodesFor, partitionOf } from "../form/node_options";
import { Field } from "./field";
import type { FieldsProps } from "./main_fields";
import { messages } from "#messages/start";

// 64 names of 64 characters, with separators.
const kMaxText = 4224;

export function ExcludedNodesField(props: FieldsProps) {
  const { form, cluster, bound, validationErrors, onField } = props;
  const text = form.excludedNodes;
  const [visits, setVisits] = useState(0);
  // An item that is not complete yet is not an error.
  const [typing, setTyping] = useState(false);
  const { value, failure } = useQuery(
    async () =>
      visits > 0
        ? await clusterUtilizationClient.getClusterUtilization({})
        : undefined,
    String(visits),
  );
  const partition = partitionOf(form, bound, cluster);
  const nodes = useMemo(
    () => nodesFor(value?.nodes ?? [], partition),
    [value, partition],
  );
  const { options, left } = useMemo(
    () => nodeOptions(nodes, text),
    [nodes, text],
  );
  const note = (): string => {
    if (!value) {
      return failure
        ? messages.cannotListNodes({ reason: failure.sentence })
        : messages.loadingNodes;
    }
    if (left > 0) return messages.moreNodes({ count: left });
    const typed = typedItem(text);
    return options.length === 0 && typed !== ""
      ? messages.noNodeMatches({ text: typed })
      : "";
  };
  const change = (next: string) => onField("excludedNodes", next);
  return (
    <div
      class="excluded-nodes"
      // Enter that chooses no node submits the form.
      onKeyDown={({ key }) => key === "Enter" && setTyping(false)}
    >
      <Field
        name="excludedNodes"
        side={
          <span class="muted" role="status" data-testid="excluded-count">
            {messages.excludedNodeCount({
              count: excludedNodesOf(text).names.length,
            })}
          </span>
        }
        validationErrors={typing ? undefined : validationErrors.excludedNodes}
      >
        {(control) => (
          <ComboboxInput
            control={control}
            label={messages.excludedNodes}
            several
            value={text}
            options={options}
            more={left > 0}
            note={note()}
            placeholder={messages.exampleExcludedNodes}
            maxLength={kMaxText}
            onValue={(next) => {
              setTyping(true);
              change(next);
            }}
            onPick={(option) => change(toggled(text, option.value))}
            onFocus={() => setVisits(visits + 1)}
            onBlur={() => {
              setTyping(false);
              if (trimmed(text) !== text) change(trimmed(text));
            }}
          />
        )}
      </Field>
    </div>
  );
}
