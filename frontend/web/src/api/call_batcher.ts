// Sends the reads that a page makes in one tick as one request. The format is in
// carme/v1/batch.proto. A call that its batch does not answer is sent alone.
import { createEnvelopeReadableStream } from "@connectrpc/connect/protocol";

type Fetch = typeof globalThis.fetch;

const kPath = "/carme.v1.Batch";
const kMaxCalls = 16; // of a batch, as the frontend
// The frontend refuses more of a session at the same time.
const kMaxBatches = 2;
// The frontend ends each call after 20 s, of which the first delays the others.
const kTimeoutMs = 45_000;
// First calls that no page has taken by then are out of date.
const kFirstCallsMs = 10_000;
const kEndOfStream = 2;
const kUnauthorized = 401;

// The call was not answered: send it alone.
class NotAnswered extends Error {}

interface Call {
  readonly method: string; // "carme.v1.JobService/ListJobs"
  readonly body: string; // JSON
  readonly group: string; // calls of a batch share it
  readonly headers: Headers;
}

interface QueuedCall extends Call {
  resolve(response: Response): void;
  reject(reason: Error): void;
}

// A call that the page makes soon.
export interface FirstCall {
  readonly method: string;
  readonly body: string;
}

interface BatchMessage {
  readonly index: number;
  readonly status: number;
  readonly requestId: string;
  readonly body: unknown;
}

export class CallBatcher {
  private queue: QueuedCall[] = [];
  private readonly first = new Map<string, Promise<Response>>();
  private enabled = false;
  private batches = 0; // that are being answered

  constructor(private readonly send: Fetch) {}

  // Without a session the frontend refuses batches.
  enable(enabled: boolean): void {
    this.enabled = enabled;
    if (!enabled) this.first.clear();
  }

  // Sends calls in one batch, and keeps their responses for the page, which makes
  // each of them once.
  sendFirst(calls: readonly FirstCall[], headers: Headers): void {
    for (const { method, body } of calls) {
      const call = { method, body, headers, group: groupOf(headers) };
      const response = this.enqueue(call);
      response.catch(() => undefined); // the page may never make this call
      this.first.set(keyOf(call), response);
    }
    setTimeout(() => this.first.clear(), kFirstCallsMs);
  }

  // For createConnectTransport().
  readonly fetch: Fetch = async (input, init) => {
    const call = readOf(input, init);
    if (!call) return this.send(input, init);
    const key = keyOf(call);
    const first = this.first.get(key);
    this.first.delete(key);
    if (!first && !this.enabled) return this.send(input, init);
    try {
      return await abortable(first ?? this.enqueue(call), init?.signal);
    } catch (error) {
      if (error instanceof NotAnswered) return this.send(input, init);
      throw error;
    }
  };

  private enqueue(call: Call): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (this.queue.length === 0) setTimeout(() => this.flush(), 0);
      this.queue.push({ ...call, resolve, reject });
    });
  }

  private flush(): void {
    const groups = new Map<string, QueuedCall[]>();
    for (const call of this.queue) {
      const group = groups.get(call.group) ?? [];
      groups.set(call.group, [...group, call]);
    }
    this.queue = [];
    for (const calls of groups.values()) {
      for (let at = 0; at < calls.length; at += kMaxCalls) {
        void this.sendBatch(calls.slice(at, at + kMaxCalls));
      }
    }
  }

  private async sendBatch(calls: readonly QueuedCall[]): Promise<void> {
    if (calls.length > 1 && this.batches < kMaxBatches) {
      this.batches++;
      try {
        await this.answer(calls);
      } catch {
        // The calls report what is wrong, alone.
      } finally {
        this.batches--;
      }
    }
    for (const { reject } of calls) reject(new NotAnswered());
  }

  // Resolves the calls that the batch answers.
  private async answer(calls: readonly QueuedCall[]): Promise<void> {
    const response = await this.send(kPath, {
      method: "POST",
      headers: calls[0]!.headers,
      body: JSON.stringify({
        calls: calls.map(({ method, body }) => ({ method, body })),
      }),
      redirect: "error",
      signal: AbortSignal.timeout(kTimeoutMs),
    });
    if (!response.ok || !response.body) return;
    const reader = createEnvelopeReadableStream(response.body).getReader();
    let refused = false;
    for (;;) {
      const { done, value } = await reader.read();
      if (done || value.flags === kEndOfStream) return;
      const message = JSON.parse(
        new TextDecoder().decode(value.data),
      ) as BatchMessage;
      const call = calls[message.index];
      // A batch deletes no cookie. One call alone does.
      const first = message.status === kUnauthorized && !refused;
      if (first) refused = true;
      if (first) call?.reject(new NotAnswered());
      else call?.resolve(responseOf(message));
    }
  }
}

// undefined: the call may change something, or is not the API's.
function readOf(
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
): Call | undefined {
  const url = typeof input === "string" ? input : "";
  const method = /\/(carme\.v1\.\w+\/(?:Get|List)[A-Z]\w*)$/.exec(url)?.[1];
  const body = init?.body;
  if (!method || !(body instanceof Uint8Array)) return undefined;
  if (method.startsWith("carme.v1.MetricsService/")) return undefined;
  const headers = new Headers(init?.headers);
  if (headers.get("content-type") !== "application/json") return undefined;
  const text = new TextDecoder().decode(body);
  return { method, body: text, headers, group: groupOf(headers) };
}

function groupOf(headers: Headers): string {
  return ["carme-cluster", "connect-timeout-ms"]
    .map((name) => headers.get(name) ?? "")
    .join(" ");
}

function keyOf({ method, body, group }: Call): string {
  return `${method} ${group} ${body}`;
}

// As if the call had been sent alone.
function responseOf({ status, requestId, body }: BatchMessage): Response {
  const headers = {
    "content-type": "application/json",
    "x-request-id": requestId,
  };
  return Object.assign(new Response(null, { status, headers }), {
    json: () => Promise.resolve(body),
  });
}

function abortable<T>(
  work: Promise<T>,
  signal: AbortSignal | null | undefined,
): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
