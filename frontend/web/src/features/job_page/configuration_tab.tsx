// The configuration of a job, and how to start it again.
import { toJsonString } from "@bufbuild/protobuf";
import { type Job, JobSpecSchema } from "#proto/jobs";
import { clusterOf } from "../../api/clusters";
import { useState } from "preact/hooks";
import { useClusterChoice } from "../../session/cluster_context";
import { CopyButton } from "../../ui/copy_button";
import { Icon } from "../../ui/icon";
import { useProjects } from "../projects/projects_context";
import { linkOf } from "../start/form/form_link";
import { specToForm } from "../start/form/spec_to_form";
import { SavePresetDialog } from "../start/save_preset_dialog";
import { configurationRows } from "./configuration_rows";
import { mayStartAgain } from "./start_again";
import { messages } from "#messages/job_page";

export function ConfigurationTab(props: {
  job: Job;
  appName: string;
  onStartAgain(): void;
}) {
  const { job, appName, onStartAgain } = props;
  const { spec } = job;
  const projects = useProjects();
  const { selected } = useClusterChoice();
  const [saving, setSaving] = useState(false);
  if (!spec) return null;
  const project = projects.find(({ id }) => id === spec.project);
  const page = `${location.origin}${location.pathname}`;
  const rows = configurationRows(
    job,
    appName,
    project?.settings?.name ?? spec.project,
  );
  return (
    <div class="job-configuration">
      {mayStartAgain(job) && (
        <div>
          <div class="button-row">
            <button
              class="button"
              type="button"
              data-testid="configuration-again"
              onClick={onStartAgain}
            >
              <Icon name="play" /> {messages.startAgain}
            </button>
            {clusterOf(job) === selected && (
              <button
                class="button"
                type="button"
                data-testid="configuration-preset"
                onClick={() => setSaving(true)}
              >
                <Icon name="plus" /> {messages.saveAsPreset}
              </button>
            )}
            <CopyButton
              text={linkOf(specToForm(spec), page, clusterOf(job))}
              label={messages.copyLink}
            />
            <CopyButton
              text={toJsonString(JobSpecSchema, spec, { prettySpaces: 2 })}
              label={messages.copySpec}
            />
          </div>
          <p class="muted small">
            {messages.startAgainAbout} {messages.linkAbout}
          </p>
        </div>
      )}
      {saving && (
        <SavePresetDialog spec={spec} close={() => setSaving(false)} />
      )}
      <dl class="fact-list" data-testid="job-configuration">
        {rows.map(({ label, value, isCode }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{isCode ? <pre>{value}</pre> : value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
