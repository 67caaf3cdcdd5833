// Calls use Connect with JSON and go to the host that served the page. The
// session is a cookie that scripts cannot read.
import { createConnectTransport } from "@connectrpc/connect-web";

export const transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: false,
  defaultTimeoutMs: 20_000,
});
