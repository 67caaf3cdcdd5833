// Lets the browser offer to install the portal as an application.

// After the page is there: the manifest and its icons are not needed for it.
export function offerInstallation(): void {
  const link = document.createElement("link");
  link.rel = "manifest";
  link.href = "/manifest.webmanifest";
  const add = () => document.head.append(link);
  if ("requestIdleCallback" in globalThis) requestIdleCallback(add);
  else setTimeout(add, 2000);
}
