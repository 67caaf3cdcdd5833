// Presets and the link for the whole form.
import { useState } from "preact/hooks";
import type { JobSpec } from "#proto/jobs";
import type { ListPresetsResponse } from "#proto/preset";
import type { Query } from "../../session/use_query";
import { PresetsDialog } from "./presets_dialog";
import { useClusterChoice } from "../../session/cluster_context";
import { CopyButton } from "../../ui/copy_button";
import { Icon } from "../../ui/icon";
import { specToForm } from "./form/spec_to_form";
import { linkOf } from "./form/form_link";
import { formToSpec, type StartForm } from "./form/start_form";
import { messages } from "#messages/start";

export function FormTools(props: {
  form: StartForm;
  presets: Query<ListPresetsResponse>;
  onForm(form: StartForm): void;
}) {
  const { form, presets, onForm } = props;
  const [open, setOpen] = useState(false);
  const { spec, parseErrors } = formToSpec(form);
  const use = (preset: JobSpec) => {
    onForm(specToForm(preset));
    setOpen(false);
  };
  const { selected } = useClusterChoice();
  const link = linkOf(form, `${location.origin}${location.pathname}`, selected);
  return (
    <div class="form-tools">
      <button
        class="link-button"
        type="button"
        data-testid="presets-open"
        onClick={() => setOpen(true)}
      >
        <Icon name="list" /> {messages.presets}
      </button>
      <span data-testid="form-link" data-link={link}>
        <CopyButton text={link} label={messages.shareConfiguration} quiet />
      </span>
      {open && (
        <PresetsDialog
          loaded={presets}
          spec={parseErrors.length === 0 ? spec : undefined}
          onUse={use}
          close={() => setOpen(false)}
        />
      )}
    </div>
  );
}
