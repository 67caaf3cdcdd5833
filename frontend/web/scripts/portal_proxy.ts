// For developers: Vite's server passes the calls on to a running portal, the
// demo's for example, and speaks to it as a browser on its own page would.
import type { ProxyOptions } from "vite";

export function portalProxy(
  portal: string | undefined, // "https://carme.localhost:8443"
): Record<string, ProxyOptions> {
  if (!portal) return {};
  const { host, hostname, port, origin } = new URL(portal);
  // Node does not know that every name under localhost is this machine.
  const local = hostname.endsWith(".localhost");
  return {
    "/carme.v1.": {
      target: local ? `https://localhost:${port || 443}` : origin,
      headers: { host, origin },
      secure: !local, // the demo has a certificate authority of its own
    },
  };
}
