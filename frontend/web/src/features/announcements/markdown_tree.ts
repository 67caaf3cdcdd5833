// The Markdown of announcements as a small tree. What is not in it, such as HTML,
// images, headings and links with other schemes, stays text as it was written.
import { Lexer, type Token, type Tokens } from "marked";

export type MarkdownNode =
  | { readonly kind: "text" | "code" | "block"; readonly text: string }
  | { readonly kind: "break" }
  | {
      readonly kind: "paragraph" | "strong" | "emphasis" | "item";
      readonly nodes: readonly MarkdownNode[];
    }
  | {
      readonly kind: "list";
      readonly ordered: boolean;
      readonly start: number;
      readonly nodes: readonly MarkdownNode[];
    }
  | {
      readonly kind: "link";
      readonly href: string;
      readonly nodes: readonly MarkdownNode[];
    };

const kMaxDepth = 12;

export function parseMarkdown(text: string): readonly MarkdownNode[] {
  return nodesOf(Lexer.lex(text, { gfm: false }), 0);
}

function nodesOf(
  tokens: readonly Token[] | undefined,
  depth: number,
): readonly MarkdownNode[] {
  return (tokens ?? []).flatMap((token) =>
    nodeOf(token as Tokens.Generic, depth),
  );
}

function nodeOf(token: Tokens.Generic, depth: number): readonly MarkdownNode[] {
  if (depth > kMaxDepth) return rawText(token, depth);
  const inner = () => nodesOf(token.tokens, depth + 1);
  switch (token.type) {
    case "space":
      return [];
    case "br":
      return [{ kind: "break" }];
    case "paragraph":
      return [{ kind: "paragraph", nodes: inner() }];
    case "strong":
      return [{ kind: "strong", nodes: inner() }];
    case "em":
      return [{ kind: "emphasis", nodes: inner() }];
    case "escape":
      return [{ kind: "text", text: String(token["text"]) }];
    case "text":
      // In a list it has tokens of its own.
      return token.tokens
        ? inner()
        : [{ kind: "text", text: String(token["text"]) }];
    case "codespan":
      return [{ kind: "code", text: String(token["text"]) }];
    case "code":
      return [{ kind: "block", text: String(token["text"]) }];
    case "list":
      return [listOf(token as Tokens.List, depth)];
    case "link": {
      const href = safeHref(String(token["href"]));
      if (href === undefined) return rawText(token, depth);
      return [{ kind: "link", href, nodes: inner() }];
    }
    default:
      return rawText(token, depth);
  }
}

function listOf(list: Tokens.List, depth: number): MarkdownNode {
  return {
    kind: "list",
    ordered: list.ordered,
    start: typeof list.start === "number" ? list.start : 1,
    nodes: list.items.map((item) => ({
      kind: "item",
      nodes: nodesOf(item.tokens, depth + 1),
    })),
  };
}

// As it was written. A block becomes a paragraph.
function rawText({ type, raw }: Tokens.Generic, depth: number) {
  const text: MarkdownNode = { kind: "text", text: raw.trim() };
  const isBlock = ["heading", "blockquote", "hr", "html", "def", "table"];
  return depth === 0 && isBlock.includes(type)
    ? [{ kind: "paragraph" as const, nodes: [text] }]
    : [{ ...text, text: raw }];
}

// undefined: a link that announcements must not have.
export function safeHref(href: string): string | undefined {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return undefined;
  }
  const isSafe =
    url.protocol === "https:" && url.username === "" && url.password === "";
  return isSafe || url.protocol === "mailto:" ? url.href : undefined;
}
