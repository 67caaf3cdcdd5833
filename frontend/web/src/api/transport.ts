// Calls use Connect with JSON and go to the host that served the page. The
// session is a cookie that scripts cannot read.
import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { clusterNames, selectedCluster } from "./clusters";

// Calls go to the cluster that this function returns.
export function transportTo(cluster: () => string): Transport {
  const addCluster: Interceptor = (next) => (request) => {
    request.header.set("Carme-Cluster", cluster());
    return next(request);
  };
  return createConnectTransport({
    baseUrl: location.origin,
    useBinaryFormat: false,
    defaultTimeoutMs: 20_000,
    interceptors: clusterNames.length > 0 ? [addCluster] : [],
  });
}

export const transport = transportTo(selectedCluster);
