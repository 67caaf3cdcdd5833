// Templates suggested from Slurm's nodes and partitions. Administrators review
// each before it is created.
import { useState } from "preact/hooks";
import type { TemplateProposal } from "#proto/template";
import { templateClient } from "../../api/template";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { Panel } from "../../ui/panel";
import { TemplateForm } from "./template_form";
import { templateLabel } from "./template_labels";
import { messages } from "#messages/templates";

export function ImportPanel(props: {
  onDone(what: string): void;
  close(): void;
}) {
  const { onDone, close } = props;
  const loaded = useQuery(() => templateClient.proposeTemplates({}));
  const [reviewed, setReviewed] = useState("");
  const done = (what: string) => {
    setReviewed("");
    void loaded.reload();
    onDone(what);
  };
  return (
    <Panel
      title={messages.suggestionsFromSlurm}
      about={messages.oneForEachPartitionAnd}
      testId="template-import"
      actions={
        <button class="button button-small" type="button" onClick={close}>
          {messages.close}
        </button>
      }
    >
      <QueryView loaded={loaded}>
        {({ proposals }) =>
          proposals.length === 0 ? (
            <p class="muted">{messages.slurmHasNoNodesFor}</p>
          ) : (
            <ul class="rows">
              {proposals.map((proposal) => (
                <Row
                  key={proposal.settings?.name}
                  proposal={proposal}
                  open={reviewed === proposal.settings?.name}
                  onOpen={setReviewed}
                  onDone={done}
                />
              ))}
            </ul>
          )
        }
      </QueryView>
    </Panel>
  );
}

function Row(props: {
  proposal: TemplateProposal;
  open: boolean;
  onOpen(name: string): void;
  onDone(what: string): void;
}) {
  const { proposal, open, onOpen, onDone } = props;
  const { settings, note, known } = proposal;
  if (!settings) return null;
  return (
    <li class="row" data-testid="template-proposal" data-name={settings.name}>
      <div class="row-what">
        <p class="row-title">
          {settings.name}{" "}
          {known && (
            <span class="state" data-tone="neutral">
              {messages.exists}
            </span>
          )}
        </p>
        <p class="muted small">{templateLabel(settings).join(" · ")}</p>
        <p class="muted small">{note}</p>
        {open && (
          <TemplateForm
            template={undefined}
            proposal={settings}
            onDone={onDone}
            close={() => onOpen("")}
          />
        )}
      </div>
      {!open && (
        <button
          class="button button-small"
          type="button"
          data-testid="template-take"
          onClick={() => onOpen(settings.name)}
        >
          {messages.review}
        </button>
      )}
    </li>
  );
}
