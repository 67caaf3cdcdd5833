// The text of an announcement. Elements are built one by one, so that its author
// cannot add markup.
import type { ComponentChild } from "preact";
import { useMemo } from "preact/hooks";
import { type MarkdownNode, parseMarkdown } from "./markdown_tree";

export function MarkdownView({ text }: { text: string }) {
  const nodes = useMemo(() => parseMarkdown(text), [text]);
  return <div class="markdown">{elementsOf(nodes)}</div>;
}

function elementsOf(nodes: readonly MarkdownNode[]): ComponentChild[] {
  return nodes.map((node, index) => <Element key={index} node={node} />);
}

function Element({ node }: { node: MarkdownNode }) {
  switch (node.kind) {
    case "text":
      return <>{node.text}</>;
    case "code":
      return <code>{node.text}</code>;
    case "block":
      return (
        <pre>
          <code>{node.text}</code>
        </pre>
      );
    case "break":
      return <br />;
    case "paragraph":
      return <p>{elementsOf(node.nodes)}</p>;
    case "strong":
      return <strong>{elementsOf(node.nodes)}</strong>;
    case "emphasis":
      return <em>{elementsOf(node.nodes)}</em>;
    case "item":
      return <li>{elementsOf(node.nodes)}</li>;
    case "list":
      return node.ordered ? (
        <ol start={node.start}>{elementsOf(node.nodes)}</ol>
      ) : (
        <ul>{elementsOf(node.nodes)}</ul>
      );
    case "link":
      return (
        <a href={node.href} target="_blank" rel="noopener noreferrer">
          {elementsOf(node.nodes)}
        </a>
      );
  }
}
