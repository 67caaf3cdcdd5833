// The name of the cluster for the header, on every page. The jobs page has it
// from its own data.
import { useEffect, useState } from "preact/hooks";
import { clusterClient } from "../api/core";
import { failureOf } from "../api/failure";
import { useSession } from "../session/session_context";

export function useClusterName(
  hasOwnData: boolean,
): readonly [string, (name: string) => void] {
  const { endIfOver } = useSession();
  const [name, setName] = useState("");
  const isMissing = name === "" && !hasOwnData;
  useEffect(() => {
    if (!isMissing) return;
    clusterClient.getCluster({}).then(
      (cluster) => setName(cluster.name),
      // The header is complete without it.
      (error: unknown) => void endIfOver(failureOf(error)),
    );
  }, [isMissing, endIfOver]);
  return [name, setName];
}
