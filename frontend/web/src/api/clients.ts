// The typed clients of everything a browser may call, generated from the
// contract. The session is a cookie that scripts cannot read.
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AuthService } from "#proto/auth";
import { ClusterService } from "#proto/cluster";
import { JobService } from "#proto/jobs";

const transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: false,
  defaultTimeoutMs: 20_000,
});

export const authClient = createClient(AuthService, transport);
export const clusterClient = createClient(ClusterService, transport);
export const jobClient = createClient(JobService, transport);
