// How calls travel: Connect's JSON to the host the page came from. The session
// is a cookie that scripts cannot read.
import { createConnectTransport } from "@connectrpc/connect-web";

export const transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: false,
  defaultTimeoutMs: 20_000,
});
