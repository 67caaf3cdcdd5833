// Leads a person without jobs to a running notebook.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { GetClusterResponse } from "#proto/cluster";
import type { Job } from "#proto/jobs";
import { Icon } from "../../ui/icon";
import { Spinner } from "../../ui/spinner";
import { currentActivity } from "../jobs/job_labels";
import { kEmptyCatalog, mainApp } from "../jobs/job_apps";
import { useOpenApps } from "../jobs/use_open_app";
import type { QuickStart } from "../start/quick_starts";
import { formToSpec, type StartForm } from "../start/form/start_form";
import { useSubmit } from "../start/use_submit";
import { finish, type FirstRunStep, stepOf } from "./first_run_state";
import "./first_run.css";
import { messages } from "#messages/first_run";

const kSteps: readonly FirstRunStep[] = ["start", "wait", "open"];

export function FirstRunGuide(props: {
  jobs: readonly Job[]; // at most one
  first: QuickStart; // what the guide starts
  cluster: GetClusterResponse | undefined;
  disabled: boolean; // Slurm does not respond
  onEdit(form: StartForm): void; // fills in the start form
  onStarted(job: Job): void;
  onFinished(): void;
}) {
  const { jobs, first, cluster, disabled } = props;
  const { onEdit, onStarted, onFinished } = props;
  const { busy, submit } = useSubmit(onStarted);
  const { opening, open } = useOpenApps();
  const [refused, setRefused] = useState(false);
  const [job] = jobs;
  const step = stepOf(jobs);
  const app = job && mainApp(job, cluster ?? kEmptyCatalog);
  const name = app?.name || first.title;
  const end = () => {
    finish();
    onFinished();
  };
  const start = async () => {
    if (busy || disabled) return;
    const { spec } = formToSpec(first.form);
    const started = await submit(spec);
    setRefused(!started);
    // The form shows why the job was refused.
    if (!started) onEdit(first.form);
  };
  const openFirst = async () => {
    if (!job || !app) return;
    await open(job, app);
    end();
  };
  return (
    <section
      class="first-run"
      aria-labelledby="first-run-title"
      data-testid="first-run"
      data-step={step}
    >
      <h3 id="first-run-title">{messages.title}</h3>
      <ol>
        <Step step="start" current={step} title={messages.start}>
          <p class="muted">{messages.startAbout({ app: name })}</p>
          {step === "start" && (
            <button
              class="button button-primary"
              type="button"
              data-testid="first-run-start"
              aria-disabled={busy || disabled}
              onClick={() => void start()}
            >
              {busy ? <Spinner /> : <Icon name={first.icon} />}{" "}
              {messages.startApp({ app: name })}
              <span class="first-run-size">{first.detail}</span>
            </button>
          )}
          {refused && step === "start" && (
            <p class="muted">{messages.refused}</p>
          )}
        </Step>
        <Step step="wait" current={step} title={messages.wait}>
          <p class="muted" role="status">
            {job && step === "wait"
              ? job.reason || currentActivity(job)
              : messages.waitAbout}
          </p>
        </Step>
        <Step step="open" current={step} title={messages.open}>
          <p class="muted">{messages.openAbout({ app: name })}</p>
          {step === "open" && app && (
            <button
              class="button button-primary"
              type="button"
              data-testid="first-run-open"
              aria-disabled={opening !== undefined}
              onClick={() => void openFirst()}
            >
              {opening ? <Spinner /> : <Icon name="open" />}{" "}
              {messages.openApp({ app: name })}
            </button>
          )}
        </Step>
      </ol>
      <button
        class="link-button"
        type="button"
        data-testid="first-run-skip"
        onClick={end}
      >
        {messages.skip}
      </button>
    </section>
  );
}

function Step(props: {
  step: FirstRunStep;
  current: FirstRunStep;
  title: string;
  children: ComponentChildren;
}) {
  const { step, current, title, children } = props;
  const isDone = kSteps.indexOf(step) < kSteps.indexOf(current);
  const isCurrent = step === current;
  return (
    <li
      data-state={isDone ? "done" : isCurrent ? "current" : "later"}
      aria-current={isCurrent ? "step" : undefined}
    >
      <p class="first-run-title">
        {isDone && <Icon name="check" />}
        {title}
        {isDone && <span class="sr-only">{messages.done}</span>}
      </p>
      {isCurrent && children}
    </li>
  );
}
