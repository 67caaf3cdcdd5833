// Lets the browser fetch the application while main.ts loads the catalogue.
import type { Plugin } from "vite";

export function preloadApplication(): Plugin {
  return {
    name: "carme-preload-application",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const chunk = Object.values(bundle ?? {}).find(
          ({ type, name }) => type === "chunk" && name === "application",
        );
        if (!chunk) throw new Error("the build has no chunk application");
        return [
          {
            tag: "link",
            attrs: { rel: "modulepreload", href: `/${chunk.fileName}` },
            injectTo: "head",
          },
        ];
      },
    },
  };
}
