/** How the page looks: one column on a phone, navigation beside it on a desk, light and dark. */
export const style = `
:root {
  color-scheme: light dark;
  --text: #1c2127; --soft: #5b6672; --line: #dde2e7; --ground: #fff; --panel: #f5f7f9; --accent: #0b5cad;
  --get: #0b6e4f; --post: #0b5cad; --put: #8a5a00; --patch: #7a4a9e; --delete: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e4e8ec; --soft: #9aa5b1; --line: #333b44; --ground: #14181c; --panel: #1d2329; --accent: #7ab8ff;
    --get: #6fd3ae; --post: #7ab8ff; --put: #e8b866; --patch: #cda4ef; --delete: #ff9b93;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font: 0.86em/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.75rem; margin: 0.5rem 0; overflow-x: auto; overflow-wrap: normal; }
h1 { font-size: 1.7rem; margin: 0 0 0.25rem; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 0.5rem; }
h3 { font-size: 1.15rem; margin: 0 0 0.25rem; }
h4 { font-size: 0.95rem; margin: 1rem 0 0.25rem; }
p { margin: 0.25rem 0 0.75rem; max-width: 46rem; }
.soft { color: var(--soft); }
nav { padding: 1rem; background: var(--panel); border-bottom: 1px solid var(--line); }
nav strong { display: block; margin: 0.6rem 0 0.1rem; font-size: 0.78rem; color: var(--soft); }
nav a { display: inline-block; margin-right: 0.8rem; padding: 0.1rem 0; }
main { padding: 1rem; max-width: 64rem; }
section.object { border-top: 1px solid var(--line); padding-top: 1.5rem; margin-top: 2rem; }
h2 + section.object { border-top: 0; padding-top: 0; margin-top: 1rem; }
table { width: 100%; border-collapse: collapse; margin: 0.5rem 0 1rem; font-size: 0.92rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); }
th { font-size: 0.78rem; color: var(--soft); font-weight: 600; }
td.name { font-weight: 600; }
td.name code, td.type { white-space: nowrap; }
td:last-child { width: 60%; padding-right: 0; }
.tag { display: inline-block; font-size: 0.75rem; color: var(--soft); border: 1px solid var(--line); border-radius: 4px; padding: 0 0.3rem; margin: 0 0.2rem 0.1rem 0; white-space: nowrap; }
.tag.must { color: var(--delete); border-color: currentColor; }
.choices code { background: var(--panel); border-radius: 4px; padding: 0.05rem 0.3rem; margin-right: 0.2rem; display: inline-block; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 0.4rem 0; }
details > div { padding: 0 0.75rem 0.5rem; border-top: 1px solid var(--line); }
summary { cursor: pointer; padding: 0.45rem 0.75rem; display: flex; flex-wrap: wrap; gap: 0.1rem 0.6rem; align-items: baseline; }
summary:hover { background: var(--panel); }
details > div { scroll-margin-top: 3rem; }
summary .here { margin-left: auto; padding: 0 0.3rem; }
summary .soft { font-size: 0.92rem; }
.method { font: 700 0.78rem/1.5 ui-monospace, Menlo, Consolas, monospace; min-width: 3.4rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
  nav a { display: block; margin: 0; }
  main { padding: 2rem 2.5rem; }
}
@media (max-width: 40rem) {
  thead { display: none; }
  tr { display: block; border-bottom: 1px solid var(--line); padding: 0.4rem 0; }
  td { display: inline-block; border: 0; padding: 0.05rem 0.6rem 0.05rem 0; }
  td:last-child { display: block; width: auto; }
}
`
