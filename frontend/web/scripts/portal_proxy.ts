// For development: Vite's server forwards API calls to a running portal, such as
// the demo, with the headers of a same-origin browser request.
import type { ProxyOptions } from "vite";

export function portalProxy(
  portal: string | undefined, // "https://carme.localhost:8443"
): Record<string, ProxyOptions> {
  if (!portal) return {};
  const { host, hostname, port, origin } = new URL(portal);
  // Node does not resolve names below localhost.
  const local = hostname.endsWith(".localhost");
  return {
    "/carme.v1.": {
      target: local ? `https://localhost:${port || 443}` : origin,
      headers: { host, origin },
      secure: !local, // the demo has a certificate authority of its own
    },
  };
}
