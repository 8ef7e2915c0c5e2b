/** `/api/docs` (HT3): every route with its schemas and every error, as one page without scripts. */
import { errorCatalogue } from '../../domain/errors.ts'
import type { Route } from '../../protocol/route.ts'
import { routes } from '../../protocol/routes.ts'
import { ClientMessage, closeCodes } from '../../protocol/socket.ts'
import type { Scopes } from './handler.ts'
import { schemaOf } from './openapi.ts'

let page: string | undefined

/** Returns the page of the product's routes, generated on first use. */
export function docsPage(version: string, scopes: Scopes): string {
  page ??= generate(version, scopes)
  return page
}

function generate(version: string, scopes: Scopes): string {
  const list = Object.entries<Route>(routes)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast API</title>
<link rel="stylesheet" href="/api/docs/style.css">
</head>
<body>
<header>
<h1>Holdfast API <small>${escapeHtml(version)}</small></h1>
<p>JSON under <code>/api</code>; times are RFC 3339 UTC with milliseconds. Send <code>Authorization: Bearer &lt;token&gt;</code>, or the cookie
of a signed-in browser. Writes take <code>Idempotency-Key</code>. The same list for programs: <a href="/api/openapi.json">openapi.json</a>.</p>
</header>
<nav aria-label="Routes"><ul>
${list.map(([operation, { method, path }]) => `<li><a href="#${operation}"><b>${method}</b> ${escapeHtml(path)}</a></li>`).join('\n')}
<li><a href="#websocket"><b>WS</b> /ws</a></li>
<li><a href="#errors">Errors</a></li>
</ul></nav>
<main>
${list.map(([operation, route]) => routeSection(operation, route, scopes[operation])).join('\n')}
${socketSection()}
${errorSection()}
</main>
</body>
</html>
`
}

function routeSection(operation: string, route: Route, scope: Scopes[string] = 'anybody'): string {
  const parts = [
    route.params && schemaBlock('In the path', schemaOf(route.params, 'input')),
    route.query && schemaBlock('In the query', schemaOf(route.query, 'input')),
    route.body && schemaBlock('Body', schemaOf(route.body, 'input')),
    route.answer && schemaBlock(`Answer ${route.status}`, schemaOf(route.answer, 'output')),
  ]
  const answer = route.answer
    ? ''
    : `<p>Answers ${route.status}${route.media ? ` with <code>${escapeHtml(route.media)}</code>` : ''}.</p>`
  return `<section id="${operation}" aria-labelledby="${operation}-title">
<h2 id="${operation}-title"><b>${route.method}</b> <code>${escapeHtml(route.path)}</code></h2>
<p>${text(route.summary)}. ${scopeText(scope)}</p>
${parts.filter(Boolean).join('\n')}${answer}
</section>`
}

function scopeText(scope: Scopes[string]): string {
  if (scope === 'nobody') return 'Needs no credential.'
  return scope === 'anybody' ? 'Any credential will do.' : `Needs the scope <code>${scope}</code>.`
}

const schemaBlock = (title: string, schema: unknown): string =>
  `<details><summary>${escapeHtml(title)}</summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`

type CloseName = keyof typeof closeCodes

const closeWords = {
  revoked: 'the credential is no longer good; sign in again',
  resume: 'too slow to follow; connect again with the last cursor',
  goingAway: 'the server stops or restarts; connect again with the last cursor',
  tooLarge: 'a message was over 8 MiB',
} as const satisfies Record<CloseName, string>

function socketSection(): string {
  const codes = Object.entries(closeWords).map(
    ([name, words]) => `<li><code>${closeCodes[name as CloseName]}</code> ${words}</li>`,
  )
  return `<section id="websocket" aria-labelledby="websocket-title">
<h2 id="websocket-title"><b>WS</b> <code>/ws</code></h2>
<p>Messages are JSON objects with <code>type</code>. <code>subscribe</code> is answered with <code>subscribed</code>, then by <code>event</code>
messages, each with the cursor behind it; a cursor that cannot be served gets a <code>snapshot</code> first. Errors come as
<code>{type: "error", code, detail, requestId}</code> with the codes below, and the connection stays open.</p>
${schemaBlock('Messages from the client', schemaOf(ClientMessage, 'input'))}
<p>Close codes:</p><ul>${codes.join('')}</ul>
</section>`
}

function errorSection(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, { status, retry, title, next }]) =>
      `<tr id="error-${code}"><td><code>${code}</code></td><td>${status}</td><td>${retry ? 'yes' : 'no'}</td><td>${text(title)}</td><td>${text(next)}</td></tr>`,
  )
  return `<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>Refusals are <code>application/problem+json</code>: <code>{type, title, status, detail, code, next}</code> and fields of their own. A refused
request changed nothing. The codes are the same over WebSocket and on the command line.</p>
<div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">code</th><th scope="col">status</th><th scope="col">retry helps</th><th scope="col">what it means</th><th scope="col">what to do</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div>
</section>`
}

const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (plain: string): string =>
  plain.replaceAll(/[&<>"']/g, (character) => replacements[character] ?? '')
/** Escapes text and renders `code` in backticks, as the catalogue writes it. */
const text = (plain: string): string =>
  escapeHtml(plain).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

/** Light and dark, from 360 px width. Served apart, because inline styles are not allowed. */
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
