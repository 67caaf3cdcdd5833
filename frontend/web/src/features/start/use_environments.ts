// The environments for the start form.
import { useContext } from "preact/hooks";
import { EnvironmentsContext } from "../environments/environments_context";

export interface EnvironmentNames {
  readonly own: readonly string[];
  readonly sites: readonly string[];
}

// undefined: not available, or not loaded yet.
export function useEnvironments(): EnvironmentNames | undefined {
  const value = useContext(EnvironmentsContext);
  if (!value?.offered) return undefined;
  const own = value.environments.filter(({ site }) => !site);
  const taken = new Set(own.map(({ name }) => name));
  // A user's environment hides a site environment of the same name.
  const sites = value.environments.filter(
    ({ site, name }) => site && !taken.has(name),
  );
  return {
    own: own.map(({ name }) => name),
    sites: sites.map(({ name }) => name),
  };
}
