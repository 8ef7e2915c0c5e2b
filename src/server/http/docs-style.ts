/** Style sheet of `/api/docs`, light and dark, from 360 px width. A separate file because inline styles are not allowed. */
export const docsStyle = `:root { color-scheme: light dark; --ink: #1c1d21; --paper: #fdfdfc; --quiet: #5b5e66; --line: #d9dade; --box: #f3f3f1; --link: #1a55b8 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e3; --paper: #17181b; --quiet: #a0a3ab; --line: #35373d; --box: #202226; --link: #8ab4ff } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
h1 { margin: 0 0 .5rem; font-size: 1.6rem } h1 small { color: var(--quiet); font-size: 1rem; font-weight: 400 }
h2 { margin: 0 0 .25rem; font-size: 1.05rem; overflow-wrap: anywhere } h2 b, nav b { display: inline-block; min-width: 4.2em; color: var(--quiet); font-size: .8em }
a { color: var(--link) } nav ul { columns: 22rem; padding: 0; list-style: none; font-size: .9rem } nav a { text-decoration: none; overflow-wrap: anywhere }
section { padding: 1.1rem 0; border-top: 1px solid var(--line) } section p { margin: .25rem 0 .5rem }
code, pre { font: .92em/1.45 ui-monospace, monospace } pre { overflow: auto; margin: .4rem 0 .8rem; padding: .8rem; background: var(--box); border-radius: .4rem }
summary { cursor: pointer; color: var(--quiet) } .wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .9rem } th, td { padding: .4rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
`
