import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { describe, expect, it, vi } from "vitest";
import { CallBatcher } from "../../src/api/call_batcher";

const kOrigin = "https://carme.test";
const kHeaders = {
  "content-type": "application/json",
  "connect-timeout-ms": "20000",
};

function init(body = "{}", more: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: new Headers({ ...kHeaders, ...more }),
    body: new TextEncoder().encode(body),
  };
}

// A call as the transport makes it.
function read(batcher: CallBatcher, method: string, call = init()) {
  return batcher.fetch(`${kOrigin}/carme.v1.${method}`, call);
}

interface Sent {
  readonly url: string;
  readonly calls: readonly { method: string; body: string }[];
}

// A portal whose batches `answer` answers, and whose other calls succeed with
// {"alone":true}.
function portal(answer: (sent: Sent) => Response) {
  const sent: Sent[] = [];
  const batcher = new CallBatcher((input, request) => {
    const url = String(input);
    if (!url.endsWith("/carme.v1.Batch")) {
      sent.push({ url, calls: [] });
      return Promise.resolve(Response.json({ alone: true }));
    }
    const { calls } = JSON.parse(String(request?.body)) as Pick<Sent, "calls">;
    const batch = { url, calls };
    sent.push(batch);
    return Promise.resolve(answer(batch));
  });
  return { batcher, sent };
}

function streamOf(messages: readonly object[], ends = true): Response {
  const text = new TextEncoder();
  const parts = messages.map((message) =>
    encodeEnvelope(0, text.encode(JSON.stringify(message))),
  );
  if (ends) parts.push(encodeEnvelope(2, text.encode("{}")));
  return new Response(new Blob(parts).stream());
}

function everyCall({ calls }: Sent, status = 200): object[] {
  return calls.map(({ method }, index) => ({
    index,
    status,
    requestId: `id-${index}`,
    body: { method },
  }));
}

// The last call first.
const answered = (batch: Sent) => streamOf(everyCall(batch).reverse());

describe("CallBatcher", () => {
  it("sends calls that may change something alone", async () => {
    const { batcher, sent } = portal(answered);
    batcher.enable(true);
    for (const method of [
      "JobService/SubmitJob",
      "JobService/PreviewJob",
      "JobService/Getaway",
      "AuthService/Logout",
      "MetricsService/GetJobMetrics",
    ]) {
      await Promise.all([read(batcher, method), read(batcher, method)]);
    }
    await batcher.fetch(`${kOrigin}/carme.v1.JobService/WatchJobs`, init());
    await batcher.fetch(
      `${kOrigin}/carme.v1.JobService/ListJobs`,
      init("{}", { "content-type": "application/connect+json" }),
    );
    expect(sent.every(({ calls }) => calls.length === 0)).toBe(true);
    expect(sent).toHaveLength(12);
  });

  it("sends every call alone without a session", async () => {
    const { batcher, sent } = portal(answered);
    await Promise.all([
      read(batcher, "MaintenanceService/GetMaintenance"),
      read(batcher, "AuthService/GetPasswordRules"),
    ]);
    expect(sent.map(({ calls }) => calls.length)).toEqual([0, 0]);
  });

  it("sends a single read alone", async () => {
    const { batcher, sent } = portal(answered);
    batcher.enable(true);
    const response = await read(batcher, "JobService/ListJobs");
    expect(await response.json()).toEqual({ alone: true });
    expect(sent).toHaveLength(1);
  });

  it("sends the calls alone if the batch is refused or breaks", async () => {
    for (const answer of [
      () => new Response("{}", { status: 404 }),
      () => new Response("{}", { status: 429 }),
      () => streamOf([]),
      () => streamOf([], false),
      () => new Response("no envelope"),
      () => {
        throw new TypeError("no connection");
      },
    ]) {
      const { batcher, sent } = portal(answer);
      batcher.enable(true);
      const responses = await Promise.all([
        read(batcher, "JobService/ListJobs"),
        read(batcher, "ClusterService/GetCluster"),
      ]);
      for (const response of responses) {
        expect(await response.json()).toEqual({ alone: true });
      }
      expect(sent).toHaveLength(3);
    }
  });

  it("repeats one call that has no session, so that the cookie is deleted", async () => {
    const { batcher, sent } = portal((batch) =>
      streamOf(everyCall(batch, 401)),
    );
    batcher.enable(true);
    const [first, second] = await Promise.all([
      read(batcher, "AuthService/GetSession"),
      read(batcher, "JobService/ListJobs"),
    ]);
    expect(await first?.json()).toEqual({ alone: true });
    expect(second?.status).toBe(401);
    expect(sent).toHaveLength(2);
  });

  it("gives each call the response that it would have alone", async () => {
    const { batcher, sent } = portal((batch) =>
      streamOf([
        { index: 1, status: 404, requestId: "b", body: { code: "not_found" } },
        ...everyCall(batch).slice(0, 1),
      ]),
    );
    batcher.enable(true);
    const [list, job] = await Promise.all([
      read(batcher, "JobService/ListJobs", init('{"pageSize":5}')),
      read(batcher, "JobService/GetJob", init('{"jobId":"x"}')),
    ]);
    expect(sent).toEqual([
      {
        url: "/carme.v1.Batch",
        calls: [
          { method: "carme.v1.JobService/ListJobs", body: '{"pageSize":5}' },
          { method: "carme.v1.JobService/GetJob", body: '{"jobId":"x"}' },
        ],
      },
    ]);
    expect(list?.status).toBe(200);
    expect(list?.headers.get("content-type")).toBe("application/json");
    expect(list?.headers.get("x-request-id")).toBe("id-0");
    expect(job?.status).toBe(404);
    expect(await job?.json()).toEqual({ code: "not_found" });
  });

  it("has at most 16 calls in a batch", async () => {
    const { batcher, sent } = portal(answered);
    batcher.enable(true);
    await Promise.all(
      Array.from({ length: 20 }, () => read(batcher, "JobService/ListJobs")),
    );
    expect(sent.map(({ calls }) => calls.length)).toEqual([16, 4]);
  });

  it("sends calls alone while two batches are not answered", async () => {
    const { batcher, sent } = portal(() => new Response(new ReadableStream()));
    batcher.enable(true);
    const pair = () => [
      read(batcher, "JobService/ListJobs"),
      read(batcher, "ClusterService/GetCluster"),
    ];
    for (let batch = 0; batch < 2; batch++) {
      pair();
      await vi.waitFor(() => expect(sent).toHaveLength(batch + 1));
    }
    const responses = await Promise.all(pair());
    for (const response of responses) {
      expect(await response.json()).toEqual({ alone: true });
    }
    expect(sent.filter(({ calls }) => calls.length > 0)).toHaveLength(2);
  });

  it("has a batch for each cluster", async () => {
    const { batcher, sent } = portal(answered);
    batcher.enable(true);
    const alpha = { "carme-cluster": "alpha" };
    const beta = { "carme-cluster": "beta" };
    await Promise.all(
      [alpha, beta, alpha, beta].map((cluster) =>
        read(batcher, "JobService/ListJobs", init("{}", cluster)),
      ),
    );
    expect(sent.map(({ calls }) => calls.length)).toEqual([2, 2]);
  });

  it("ends a call that is aborted, and not the others", async () => {
    const { batcher } = portal(answered);
    batcher.enable(true);
    const abort = new AbortController();
    const aborted = read(batcher, "JobService/ListJobs", {
      ...init(),
      signal: abort.signal,
    });
    const other = read(batcher, "ClusterService/GetCluster");
    abort.abort();
    await expect(aborted).rejects.toThrow("aborted");
    expect((await other).status).toBe(200);
  });

  it("keeps the responses of first calls for the page, once", async () => {
    const { batcher, sent } = portal(answered);
    const method = "carme.v1.AuthService/GetSession";
    const other = "carme.v1.JobService/ListJobs";
    batcher.sendFirst(
      [
        { method, body: "{}" },
        { method: other, body: "{}" },
      ],
      new Headers(kHeaders),
    );
    const first = await read(batcher, "AuthService/GetSession");
    expect(await first.json()).toEqual({ method });
    const second = await read(batcher, "AuthService/GetSession");
    expect(await second.json()).toEqual({ alone: true });
    await read(batcher, "JobService/ListJobs", init('{"pageSize":1}'));
    expect(sent.map(({ calls }) => calls.length)).toEqual([2, 0, 0]);
  });

  it("forgets first calls after ten seconds, and when the session ends", async () => {
    vi.useFakeTimers();
    const { batcher } = portal(answered);
    const calls = ["GetSession", "GetPasswordRules"].map((name) => ({
      method: `carme.v1.AuthService/${name}`,
      body: "{}",
    }));
    for (const forget of [
      () => vi.advanceTimersByTimeAsync(10_000),
      () => batcher.enable(false),
    ]) {
      batcher.sendFirst(calls, new Headers(kHeaders));
      await vi.advanceTimersByTimeAsync(10);
      await forget();
      const response = await read(batcher, "AuthService/GetSession");
      expect(await response.json()).toEqual({ alone: true });
    }
    vi.useRealTimers();
  });
});
