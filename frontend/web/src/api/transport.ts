// Calls use Connect with JSON and go to the host that served the page. The
// session is a cookie that scripts cannot read.
import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import {
  create,
  type DescMethodUnary,
  type DescMessage,
  type MessageInitShape,
  toJsonString,
} from "@bufbuild/protobuf";
import { CallBatcher, type FirstCall } from "./call_batcher";
import { clusterNames, selectedCluster } from "./clusters";
import { translation } from "./translate_texts";

const kTimeoutMs = 20_000;

const batcher = new CallBatcher((input, init) => fetch(input, init));

// Calls go to the cluster that this function returns.
export function transportTo(cluster: () => string): Transport {
  const addCluster: Interceptor = (next) => (request) => {
    request.header.set("Carme-Cluster", cluster());
    return next(request);
  };
  return createConnectTransport({
    baseUrl: location.origin,
    useBinaryFormat: false,
    defaultTimeoutMs: kTimeoutMs,
    fetch: batcher.fetch,
    interceptors:
      clusterNames.length > 0 ? [translation, addCluster] : [translation],
  });
}

// With a session, reads of one tick share a request.
export function setBatching(enabled: boolean): void {
  batcher.enable(enabled);
}

// A call for sendFirstCalls().
export function firstCall<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): FirstCall {
  return {
    method: `${method.parent.typeName}/${method.name}`,
    body: toJsonString(method.input, create(method.input, request)),
  };
}

// Sends, in one request, calls that the page makes when it is shown.
export function sendFirstCalls(calls: readonly FirstCall[]): void {
  const headers = new Headers({
    "Content-Type": "application/json",
    "Connect-Protocol-Version": "1",
    "Connect-Timeout-Ms": String(kTimeoutMs),
  });
  if (clusterNames.length > 0) headers.set("Carme-Cluster", selectedCluster());
  batcher.sendFirst(calls, headers);
}

export const transport = transportTo(selectedCluster);
