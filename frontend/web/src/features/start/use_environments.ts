// The environments that a job may be started in, for the form; asked again
// whenever the page of work opens.
import { environmentClient } from "../../api/environment";
import { useQuery } from "../../session/use_query";

export interface EnvironmentNames {
  readonly own: readonly string[];
  readonly sites: readonly string[];
}

// undefined: none are offered, or nothing is known yet.
export function useEnvironments(): EnvironmentNames | undefined {
  const { value } = useQuery(() => environmentClient.listEnvironments({}));
  if (!value?.offered) return undefined;
  const own = value.environments.filter(({ site }) => !site);
  const taken = new Set(own.map(({ name }) => name));
  // One's own of the same name is the one that a job gets.
  const sites = value.environments.filter(
    ({ site, name }) => site && !taken.has(name),
  );
  return {
    own: own.map(({ name }) => name),
    sites: sites.map(({ name }) => name),
  };
}
