// The apps of a ready job: its main app first, then the other apps of its
// image. Opening an app starts it if necessary.
import { useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { appIcon } from "../../ui/app_icon";
import { inUseLabel } from "./actions/lifetime_labels";
import { Icon } from "../../ui/icon";
import { Spinner } from "../../ui/spinner";
import { useNow } from "../../ui/use_now";
import {
  type AppStatus,
  type CardApp,
  type Catalog,
  mainApp,
  otherApps,
} from "./job_apps";
import { useOpenApp } from "./use_open_app";
import { messages } from "#messages/jobs";

export function JobAppRow(props: {
  job: Job;
  catalog: Catalog;
  onLog(app: string): void;
}) {
  const { job, catalog, onLog } = props;
  const { opening, open } = useOpenApp(job);
  const main = mainApp(job, catalog);
  const others = otherApps(job, catalog);
  const jobName = job.spec?.name ?? job.id;
  // Dismissed failures, until the app fails with another message.
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  return (
    <div class="job-apps">
      <div class="button-row">
        <button
          class="button button-primary"
          type="button"
          data-testid="job-open"
          aria-disabled={opening === main.id}
          onClick={() => void open(main)}
        >
          <AppMark app={main} busy={opening === main.id} />
          {messages.openApp({ app: main.name })}
          <Icon name="open" />
          <span class="sr-only">
            {messages.ofJobInNewTab({ job: jobName })}
          </span>
        </button>
        {others.map((app) => (
          <OtherApp
            key={app.id}
            app={app}
            jobName={jobName}
            busy={opening === app.id}
            open={() => void open(app)}
          />
        ))}
      </div>
      <div class="app-failures" role="status">
        {[main, ...others]
          .filter(({ status }) => status === "failed")
          .filter((app) => !dismissed.includes(failureKey(app)))
          .map((app) => (
            <AppFailure
              key={app.id}
              app={app}
              retry={() => void open(app)}
              showLog={() => onLog(app.id)}
              dismiss={() => setDismissed([...dismissed, failureKey(app)])}
            />
          ))}
      </div>
      <InUse job={job} />
    </div>
  );
}

function InUse({ job }: { job: Job }) {
  const now = useNow(10_000);
  const text = inUseLabel(job, now);
  if (!text) return null;
  return (
    <p class="muted small" data-testid="job-in-use">
      {text}
    </p>
  );
}

// For a pending or starting job: the new tab shows the progress and then the
// app.
export function OpenWhenReady(props: { job: Job; catalog: Catalog }) {
  const { job, catalog } = props;
  const { opening, open } = useOpenApp(job);
  const main = mainApp(job, catalog);
  return (
    <div class="job-apps">
      <div>
        <button
          class="button button-small"
          type="button"
          data-testid="job-open-early"
          aria-disabled={opening === main.id}
          onClick={() => void open(main)}
        >
          <AppMark app={main} busy={opening === main.id} />
          {messages.openAppWhenReady({ app: main.name })}
          <Icon name="open" />
          <span class="sr-only">
            {messages.ofJobLaterInNewTab({ job: job.spec?.name ?? job.id })}
          </span>
        </button>
      </div>
    </div>
  );
}

const kStatusLabels: Record<AppStatus, string> = {
  idle: messages.notStartedYet,
  starting: messages.appStarting,
  ready: messages.appRunning,
  failed: messages.appFailed,
};

function OtherApp(props: {
  app: CardApp;
  jobName: string;
  busy: boolean;
  open(): void;
}) {
  const { app, jobName, busy, open } = props;
  const status = kStatusLabels[app.status];
  return (
    <button
      class="button app-button"
      type="button"
      data-testid={`open-${app.id}`}
      data-status={app.status}
      aria-disabled={busy}
      title={[app.description, `(${status})`].filter(Boolean).join(" ")}
      onClick={open}
    >
      <AppMark app={app} busy={busy} />
      {app.name}
      <span class="sr-only">
        {messages.ofJobInNewTabStatus({ job: jobName, status })}
      </span>
    </button>
  );
}

function AppMark({ app, busy }: { app: CardApp; busy: boolean }) {
  if (busy || app.status === "starting") return <Spinner />;
  return <Icon name={appIcon(app.icon)} />;
}

function failureKey({ id, detail }: CardApp): string {
  return `${id} ${detail}`;
}

function AppFailure(props: {
  app: CardApp;
  retry(): void;
  showLog(): void;
  dismiss(): void;
}) {
  const { app, retry, showLog, dismiss } = props;
  return (
    <div class="app-failure" data-testid={`failed-${app.id}`}>
      <Icon name="alert" />
      <p>
        <strong>{app.name}</strong>{" "}
        {messages.appFailedBecause({
          reason: app.detail || messages.theAppExited,
        })}
      </p>
      <div class="button-row">
        <button
          class="link-button"
          type="button"
          data-testid={`retry-${app.id}`}
          onClick={retry}
        >
          {messages.tryAgain}{" "}
          <span class="sr-only">{messages.toOpen({ app: app.name })}</span>
        </button>
        <button class="link-button" type="button" onClick={showLog}>
          {messages.log}{" "}
          <span class="sr-only">{messages.ofName({ name: app.name })}</span>
        </button>
        <button
          class="link-button"
          type="button"
          data-testid={`dismiss-${app.id}`}
          onClick={dismiss}
        >
          {messages.dismiss}{" "}
          <span class="sr-only">
            {messages.theFailureOf({ app: app.name })}
          </span>
        </button>
      </div>
    </div>
  );
}
