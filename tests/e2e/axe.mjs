// axe-core on a page: the rules of WCAG 2.2 and of good practice, or some of them.
import axe from 'axe-core';

export const axeSource = axe.source;

export const kAllRules = {runOnly: [
  'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice',
]};
// For another set of colours of a page that was checked with all rules.
export const kColourRules =
    {runOnly: {type: 'rule', values: ['color-contrast']}};

// "rule: element: what to fix", one a violation.
export async function violationsOf(page, options) {
  if (!await page.evaluate(() => 'axe' in globalThis)) {
    await page.evaluate(axeSource);
  }
  return page.evaluate(async (how) => {
    const {violations} = await globalThis.axe.run(document, how);
    // axe reads the colour of the fill, which stays the author's where the
    // browser forces the colour of the text.
    const isStale = ({target, any}) => {
      const {fgColor} = any[0]?.data ?? {};
      const [r, g, b] = getComputedStyle(document.querySelector(target[0]))
          .color.match(/\d+/g).map(Number);
      const hex = `#${(r << 16 | g << 8 | b).toString(16).padStart(6, '0')}`;
      return fgColor !== undefined && fgColor !== hex;
    };
    const isForced = matchMedia('(forced-colors: active)').matches;
    return violations.flatMap(({id, nodes}) => nodes
        .filter((node) => !isForced || !isStale(node))
        .map(({target, failureSummary}) => `${id}: ${target.join(' ')}: ${
            failureSummary.split('\n').at(-1)}`));
  }, {...options, resultTypes: ['violations'], preload: false});
}
