// Renders components to HTML, without a browser.
import { type ComponentChild, Fragment, h, options } from "preact";
import { renderToString } from "preact-render-to-string";

export interface Rendered {
  readonly html: string;
  // The attributes in the HTML of the only element with this tag.
  attributesOf(tag: string): Readonly<Record<string, string>>;
  // Calls the element's handler, as the browser does after the user's input.
  input(tag: string, target: { value?: string; checked?: boolean }): void;
  textOf(id: string | undefined): string;
}

export function rendered(node: ComponentChild): Rendered {
  const handlers: Record<string, Record<string, unknown>> = {};
  const before = options.vnode;
  options.vnode = (vnode) => {
    if (typeof vnode.type === "string") handlers[vnode.type] = vnode.props;
    before?.(vnode);
  };
  let html = "";
  try {
    html = renderToString(h(Fragment, {}, node));
  } finally {
    if (before) options.vnode = before;
    else delete options.vnode;
  }
  return {
    html,
    attributesOf(tag) {
      const found = [...html.matchAll(new RegExp(`<${tag}\\b([^>]*)>`, "g"))];
      if (found.length !== 1) throw new Error(`${found.length} <${tag}>`);
      const pairs = (found[0]?.[1] ?? "").matchAll(/([\w-]+)(?:="([^"]*)")?/g);
      return Object.fromEntries(
        [...pairs].map(([, name, text = ""]) => [name, text]),
      );
    },
    input(tag, currentTarget) {
      const { onInput, onChange } = handlers[tag] ?? {};
      const handler = onInput ?? onChange;
      if (typeof handler !== "function") throw new Error(`no <${tag}>`);
      handler({ currentTarget });
    },
    textOf(id) {
      return (
        new RegExp(`id="${id}"[^>]*>(.*?)</(?:span|p|div)>`).exec(html)?.[1] ??
        ""
      );
    },
  };
}
