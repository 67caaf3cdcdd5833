import { describe, expect, it } from "vitest";
import {
  type MarkdownNode,
  parseMarkdown,
  safeHref,
} from "../../../src/features/announcements/markdown_tree";

// "p(text, strong(text))", to compare shapes; texts in quotes.
function shape(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (node.kind === "break") return "break";
      if ("text" in node) return `${node.kind}:${JSON.stringify(node.text)}`;
      const extra = node.kind === "link" ? ` ${node.href}` : "";
      return `${node.kind}${extra}(${shape(node.nodes)})`;
    })
    .join(", ");
}

const parsed = (text: string) => shape(parseMarkdown(text));

function kinds(nodes: readonly MarkdownNode[]): string[] {
  return nodes.flatMap((node) => [
    node.kind,
    ...("nodes" in node ? kinds(node.nodes) : []),
  ]);
}

describe("safeHref", () => {
  it("refuses all but https and mailto", () => {
    for (const href of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      " javascript:alert(1)",
      "java\nscript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "http://example.org/",
      "ftp://example.org/",
      "//example.org/",
      "/admin",
      "#/admin/users",
      "https://portal@evil.example/",
      "https://a:b@evil.example/",
      "",
      "https://",
    ]) {
      expect(safeHref(href), href).toBeUndefined();
    }
  });

  it("accepts https and mailto", () => {
    expect(safeHref("https://example.org/a?b#c")).toBe(
      "https://example.org/a?b#c",
    );
    expect(safeHref("mailto:help@example.org")).toBe("mailto:help@example.org");
  });
});

describe("parseMarkdown", () => {
  it("shows a link that is not safe as it was written", () => {
    expect(parsed("[x](javascript:alert(1))")).toBe(
      'paragraph(text:"[x](javascript:alert(1))")',
    );
    expect(parsed("see [x](http://example.org)")).toBe(
      'paragraph(text:"see ", text:"[x](http://example.org)")',
    );
    expect(
      kinds(parseMarkdown("[x][1]\n\n[1]: javascript:alert(1)")),
    ).not.toContain("link");
  });

  it("shows HTML as text", () => {
    for (const html of [
      "<script>alert(1)</script>",
      "<img src=x onerror=alert(1)>",
      "a <b onclick=x>b</b>",
      "<a href=https://example.org>x</a>",
      "<!-- x -->",
    ]) {
      const nodes = parseMarkdown(html);
      expect(
        kinds(nodes).filter((kind) => !["paragraph", "text"].includes(kind)),
        html,
      ).toEqual([]);
      expect(shape(nodes)).toContain("<");
    }
  });

  it("shows images, headings, quotes and tables as text", () => {
    for (const text of [
      "![x](https://example.org/x.png)",
      "# Title",
      "> quote",
      "***",
      "|a|b|\n|-|-|\n|1|2|",
    ]) {
      expect(
        kinds(parseMarkdown(text)).every((kind) =>
          ["paragraph", "text", "emphasis"].includes(kind),
        ),
        text,
      ).toBe(true);
    }
  });

  it("ends with deep nesting as text", () => {
    const deep = `${"- ".repeat(200)}x`;
    const depth = (nodes: readonly MarkdownNode[]): number =>
      Math.max(
        0,
        ...nodes.map((node) => ("nodes" in node ? 1 + depth(node.nodes) : 1)),
      );
    expect(depth(parseMarkdown(deep))).toBeLessThan(40);
    expect(shape(parseMarkdown(deep))).toContain("x");
  });

  it("reads paragraphs, emphasis, code, lists and links", () => {
    expect(parsed("Files **move** on *Friday*:\nuse `df -h`.")).toBe(
      'paragraph(text:"Files ", strong(text:"move"), text:" on ", ' +
        'emphasis(text:"Friday"), text:":\\nuse ", code:"df -h", text:".")',
    );
    expect(parsed("- a\n- b")).toBe('list(item(text:"a"), item(text:"b"))');
    expect(parsed("3. a")).toBe('list(item(text:"a"))');
    expect(parseMarkdown("3. a")[0]).toMatchObject({ ordered: true, start: 3 });
    expect(parsed("[news](https://example.org/n)")).toBe(
      'paragraph(link https://example.org/n(text:"news"))',
    );
    expect(parsed("```\n<b>\n```")).toBe('block:"<b>"');
    expect(parsed("\\*a\\* & <&lt;")).toContain('text:"*"');
    expect(parsed("a  \nb")).toBe('paragraph(text:"a", break, text:"b")');
  });
});
