// Jupyter Notebook 6 as Debian 12 has it, driven as a person would.
export async function newNotebook(page) {
  await page.waitForSelector('#new-dropdown-button');
  await page.click('#new-dropdown-button');
  const [notebook] = await Promise.all([
    page.context().waitForEvent('page'),
    page.click('#kernel-python3 a'),
  ]);
  await notebook.waitForSelector('.code_cell');
  await kernelIdle(notebook);
  return notebook;
}

export function kernelIdle(notebook) {
  return notebook.waitForSelector('#kernel_indicator_icon.kernel_idle_icon',
                                  {timeout: 60_000});
}

// Types `code` into the last cell, runs it, and gives the cell's output.
export async function runCell(notebook, code) {
  const cells = notebook.locator('.code_cell');
  // Running it adds a cell behind it, so not last().
  const cell = cells.nth(await cells.count() - 1);
  await cell.locator('.CodeMirror').click();
  await notebook.keyboard.insertText(code);
  await notebook.keyboard.press('Shift+Enter');
  const output = cell.locator('.output_text pre').first();
  await output.waitFor({timeout: 30_000});
  return (await output.innerText()).trim();
}
