// JupyterLab 4, driven as a person would.
export async function newNotebook(page) {
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
  await page.keyboard.press('Shift+Enter');
  const output = cell.locator('.jp-OutputArea-output pre').first();
  await output.waitFor({timeout: 30_000});
  return (await output.innerText()).trim();
}
