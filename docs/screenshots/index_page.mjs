// The index of the screenshots: a row for each state, a column for each width and
// language, light above dark.
export function indexPage(names, labels, taken) {
  const filesOf = (name, label) =>
      taken.find((each) => each.name === name && each.label === label)?.files;
  const cell = (name, label) => Object.values(filesOf(name, label) ?? {})
      .map((file) => `<a href="${file}"><img src="${file}" alt="${file}" ` +
                     'loading="lazy"></a>')
      .join('');
  const rows = names.map((name) => `<tr><th>${name}</th>${
    labels.map((label) => `<td>${cell(name, label)}</td>`).join('')}</tr>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Screens of Carme</title>
<style>
body { font: 15px sans-serif; margin: 1rem; }
th, td { padding: 0.5rem; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: white; }
img { width: 260px; border: 1px solid #ccc; margin-bottom: 0.5rem; display: block; }
</style>
<h1>Screens of Carme</h1>
<table>
<thead><tr><th>State</th>${
    labels.map((label) => `<th>${label}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</html>
`;
}
