// Colours of the current theme, for a canvas.
import { useEffect, useState } from "preact/hooks";

export const kColors = 10; // classes plot-color-0 … in metrics.css

export interface PlotColors {
  readonly lines: readonly string[];
  readonly text: string;
  readonly grid: string;
  readonly limit: string;
  readonly event: string;
  readonly surface: string;
  readonly heat: string;
}

// Resolves the colours of styles where `host` is.
export function plotColors(host: HTMLElement): PlotColors {
  const probe = document.createElement("span");
  host.append(probe);
  const colorOf = (name: string) => {
    probe.className = name;
    return getComputedStyle(probe).color;
  };
  const colors = {
    lines: Array.from({ length: kColors }, (_, at) =>
      colorOf(`plot-color-${at}`),
    ),
    text: colorOf("plot-color-text"),
    grid: colorOf("plot-color-grid"),
    limit: colorOf("plot-color-limit"),
    event: colorOf("plot-color-event"),
    surface: colorOf("plot-color-surface"),
    heat: colorOf("plot-color-heat"),
  };
  probe.remove();
  return colors;
}

// Changes when the colours may have changed.
export function useThemeVersion(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const change = () => setVersion((old) => old + 1);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const observer = new MutationObserver(change);
    scheme.addEventListener("change", change);
    observer.observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
    return () => {
      scheme.removeEventListener("change", change);
      observer.disconnect();
    };
  }, []);
  return version;
}
