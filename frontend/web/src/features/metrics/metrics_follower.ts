// Loads the metrics of a job, and adds samples while it runs.
//
// 1. The samples of the stream continue the grid that was loaded. After an
//    interruption the grid is loaded again, which fills the hole.
// 2. A failure that a retry cannot heal is shown and not retried.
import { Code } from "@connectrpc/connect";
import {
  type GetJobMetricsResponse,
  GetJobMetricsResponse_Origin,
  type NodeQuality,
  type WatchJobMetricsResponse,
} from "#proto/metrics";
import type { NodeEvent, SampleSource } from "#proto/samples";
import { type Failure, failureOf, isSessionEnd } from "../../api/failure";
import { retryDelayMs } from "../../api/reconnect";
import { type ConnectionState, StreamWatcher } from "../../api/stream_watcher";
import { gridOf, type MetricGrid } from "./series/metric_grid";

export interface MetricsView {
  readonly grid?: MetricGrid; // changes in place; `version` tells
  readonly version: number;
  readonly events: readonly NodeEvent[];
  readonly sources: readonly SampleSource[];
  readonly quality: readonly NodeQuality[];
  readonly isArchive: boolean;
  readonly problem: string; // a sentence of the server; may be empty
  readonly failure?: Failure; // of the newest request
  readonly link: ConnectionState;
}

export const kNothingLoaded: MetricsView = {
  version: 0,
  events: [],
  sources: [],
  quality: [],
  isArchive: false,
  problem: "",
  link: "connecting",
};

export interface MetricsEvents {
  load(): Promise<GetJobMetricsResponse>;
  open(signal: AbortSignal): AsyncIterable<WatchJobMetricsResponse>;
  onView(view: MetricsView): void;
  onSessionEnd(failure: Failure): void;
}

// The grid is loaded again with larger steps when it has this many points.
export const kMaxPoints = 2000;

const kFinal: ReadonlySet<Code> = new Set([
  Code.FailedPrecondition,
  Code.InvalidArgument,
  Code.NotFound,
  Code.PermissionDenied,
  Code.Unimplemented,
]);

export function isFinal({ code }: Failure): boolean {
  return kFinal.has(code);
}

export class MetricsFollower {
  private view = kNothingLoaded;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  private loads = 0;
  private stopped = false;
  private streaming = false;
  private interrupted = false;
  // Its stream is open while the job runs and the grid is there.
  readonly stream: StreamWatcher<WatchJobMetricsResponse>;

  constructor(
    private readonly events: MetricsEvents,
    private readonly isRunning: boolean,
  ) {
    this.stream = new StreamWatcher<WatchJobMetricsResponse>({
      open: (signal) => events.open(signal),
      onMessage: (message) => this.add(message),
      onLink: (link) => this.moveLink(link),
      onSessionEnd: (failure) => this.end(failure),
      onFailure: (failure) => !isFinal(failure),
    });
  }

  start(): void {
    void this.load();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.stream.stop();
  }

  setVisible(visible: boolean): void {
    this.stream.setVisible(visible);
  }

  wake(): void {
    this.stream.wake();
  }

  async load(): Promise<void> {
    clearTimeout(this.timer);
    const load = ++this.loads;
    try {
      const response = await this.events.load();
      if (this.stopped || load !== this.loads) return;
      this.attempt = 0;
      this.show({
        grid: gridOf(response),
        events: response.events,
        sources: response.sources,
        quality: response.quality,
        isArchive: response.origin === GetJobMetricsResponse_Origin.ARCHIVE,
        problem: response.problem,
      });
      this.startStream();
    } catch (error) {
      if (this.stopped || load !== this.loads) return;
      this.fail(failureOf(error));
    }
  }

  private startStream(): void {
    if (!this.isRunning || this.streaming) return;
    this.streaming = true;
    this.stream.start();
  }

  private fail(failure: Failure): void {
    if (isSessionEnd(failure)) return this.end(failure);
    this.show({ ...this.loaded(), failure });
    if (isFinal(failure)) return;
    const delay = retryDelayMs(this.attempt++, Math.random());
    this.timer = setTimeout(() => void this.load(), delay);
  }

  private loaded(): Omit<MetricsView, "failure" | "link" | "version"> {
    const { grid, events, sources, quality, isArchive, problem } = this.view;
    return {
      ...(grid && { grid }),
      events,
      sources,
      quality,
      isArchive,
      problem,
    };
  }

  private add({ nodes }: WatchJobMetricsResponse): void {
    const { grid } = this.view;
    if (!grid || nodes.length === 0) return;
    for (const node of nodes) grid.addSamples(node);
    const added = nodes.flatMap(({ events }) => events);
    this.show({
      ...this.loaded(),
      events: [...this.view.events, ...added],
      problem: grid.length > 0 ? "" : this.view.problem,
    });
    if (grid.length > kMaxPoints) void this.load();
  }

  private moveLink(link: ConnectionState): void {
    if (link === this.view.link) return;
    const isBack = link === "live" && this.interrupted;
    this.interrupted = link === "reconnecting" || link === "paused";
    this.view = { ...this.view, link };
    this.events.onView(this.view);
    if (isBack) void this.load();
  }

  private end(failure: Failure): void {
    this.stop();
    this.events.onSessionEnd(failure);
  }

  private show(part: Omit<MetricsView, "link" | "version">): void {
    if (this.stopped) return;
    const { link, version } = this.view;
    this.view = { ...part, link, version: version + 1 };
    this.events.onView(this.view);
  }
}
