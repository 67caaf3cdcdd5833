// JupyterLab 4, driven as a person would.
export async function newNotebook(page) {
  await page.waitForURL(/^https:.*\/lab/, {timeout: 60_000});
  // Otherwise it opens again what an earlier test left open in the same home.
  await page.goto(page.url().replace(/\/lab\b.*$/, '/lab?reset'));
  await page.click('.jp-LauncherCard[data-category="Notebook"]',
                   {timeout: 60_000});
  await page.waitForSelector('.jp-Notebook .jp-CodeCell');
  await kernelIdle(page);
  return page;
}

export function kernelIdle(page) {
  return page.waitForSelector(
      '.jp-Notebook-ExecutionIndicator[data-status="idle"]',
      {timeout: 60_000});
}

// Types `code` into the last cell, runs it, and gives the cell's output.
export async function runCell(page, code) {
  const cells = page.locator('.jp-Notebook .jp-CodeCell');
  // Running it adds a cell behind it, so not last().
  const cell = cells.nth(await cells.count() - 1);
  await cell.locator('.cm-content').click();
  await page.keyboard.insertText(code);
  await run(page, cell);
  const output = cell.locator('.jp-OutputArea-output pre').first();
  await output.waitFor({timeout: 60_000}).catch(async (error) => {
    throw new Error(`${code}: no output; the page shows: ${
        (await page.locator('body').innerText()).slice(-2000)}`,
                    {cause: error});
  });
  return (await output.innerText()).trim();
}

// JupyterLab forgets a cell that is run while the session with its kernel is
// still being made: the prompt stays empty. A person runs it once more.
async function run(page, cell) {
  const prompt = cell.locator('.jp-InputPrompt');
  for (let attempt = 0; attempt < 5; attempt++) {
    await cell.locator('.cm-content').click();
    await page.keyboard.press('Shift+Enter');
    const taken = await prompt.filter({hasText: /\[(\*|\d+)\]/})
        .waitFor({timeout: 10_000}).then(() => true, () => false);
    if (taken) return;
  }
}
