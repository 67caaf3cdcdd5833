// The clusters behind the portal. With one cluster there are no names, and calls
// are as without this file.

const kKey = "carme-cluster";

// From <meta name="carme-clusters" content="alpha,beta">, which carme-frontend
// adds if there are several. The first one is that of the log-in.
export function parseClusters(content: string): readonly string[] {
  const names = content.split(",").filter(Boolean);
  return names.length > 1 ? names : [];
}

// A stored name may be that of a cluster that was removed.
export function chooseCluster(
  names: readonly string[],
  stored: string | null,
): string {
  return names.find((name) => name === stored) ?? names[0] ?? "";
}

export const clusterNames: readonly string[] = parseClusters(
  globalThis.document?.querySelector<HTMLMetaElement>(
    "meta[name=carme-clusters]",
  )?.content ?? "",
);

let selected = chooseCluster(clusterNames, storedCluster());

// Calls that name no cluster go to this one; empty: the only one.
export function selectedCluster(): string {
  return selected;
}

// The choice is stored in this browser.
export function selectCluster(name: string): void {
  selected = chooseCluster(clusterNames, name);
  try {
    localStorage.setItem(kKey, selected);
  } catch {
    // The choice then lasts until the page is closed.
  }
}

// For display; empty with one cluster.
export function clusterOf({ cluster }: { readonly cluster: string }): string {
  return clusterNames.length > 0 ? cluster : "";
}

function storedCluster(): string | null {
  try {
    return clusterNames.length > 0 ? localStorage.getItem(kKey) : null;
  } catch {
    return null; // storage is disabled in this browser
  }
}
