// Pictures of pages beside stored ones.
import {execFileSync} from 'node:child_process';
import pixelmatch from 'pixelmatch';
import {PNG} from 'pngjs';

import {sleep, waitMs} from '../support/demo.mjs';

// Of a colour's distance, 0 to 1; pixels that smooth edges do not count.
const kThreshold = 0.1;
// A page is complete within this time, also on a busy machine.
const kMaxMs = waitMs / 4;
const kPauseMs = 200;

// What decides how the same page looks: the browser's major version and the files
// of its fonts.
export function rendererOf(browser) {
  const font = (family) => execFileSync(
      'fc-match', ['--format=%{file}', family], {encoding: 'utf8'});
  return {
    chromium: browser.version().split('.')[0],
    sans: font('sans-serif').split('/').at(-1),
    mono: font('monospace').split('/').at(-1),
  };
}

// Takes pictures of the window until one differs from `stored`, or else from the
// picture before it, in at most `maxShare` of its pixels, or until the time is
// over. `hidden`: selectors of what differs each time. Returns the last picture
// and how it differs.
export async function takePicture(page, {hidden, stored, maxShare}) {
  await page.evaluate(() => document.fonts.ready);
  const take = () => page.screenshot({
    animations: 'disabled', caret: 'hide', scale: 'css',
    mask: hidden.map((selector) => page.locator(selector)),
    maskColor: '#808080',
  });
  const end = Date.now() + kMaxMs;
  let expected = stored ?? await take();
  for (;;) {
    const picture = await take();
    const {share, difference} = compare(expected, picture);
    if (share <= maxShare || Date.now() > end) {
      return {picture, share, difference};
    }
    if (!stored) expected = picture;
    await sleep(kPauseMs);
  }
}

// The share of pixels that differ, 0 to 1, and a picture of them. Pictures of
// different sizes differ entirely.
function compare(stored, taken) {
  const [a, b] = [PNG.sync.read(stored), PNG.sync.read(taken)];
  const {width, height} = a;
  if (width !== b.width || height !== b.height) {
    return {share: 1, difference: taken};
  }
  const difference = new PNG({width, height});
  const pixels = pixelmatch(a.data, b.data, difference.data, width, height,
                            {threshold: kThreshold, includeAA: false});
  return {
    share: pixels / (width * height),
    difference: PNG.sync.write(difference),
  };
}
